"""What systemd hears, over a real notification socket."""

import os
import socket
from collections.abc import AsyncGenerator, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import pytest
import trio

from daemon.control.peers import Caller
from daemon.pulse import Pulse
from daemon.refusal import Refusal
from daemon.service_manager import ServiceManager, feed_watchdog, keep_status, status_text
from daemon.supervisor import Supervisor


class Heard:
    """systemd's end of the socket."""

    def __init__(self, listener: socket.socket) -> None:
        self._plain = listener
        self._listener = trio.socket.from_stdlib_socket(listener)

    async def next(self) -> dict[str, str]:
        with trio.fail_after(60):
            data = await self._listener.recv(65536)
        return dict(line.split("=", 1) for line in data.decode().splitlines())

    async def until(self, name: str) -> str:
        """The next value of this assignment; others are passed over."""
        while name not in (told := await self.next()):
            pass
        return told[name]

    def nothing(self) -> bool:
        try:
            self._plain.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK)
        except BlockingIOError:
            return True
        return False


@pytest.fixture
def listener(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(os.fspath(tmp_path / "notify"))
        listener.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", os.fspath(tmp_path / "notify"))
        monkeypatch.setenv("WATCHDOG_USEC", "200000")
        monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()))
        yield listener


@asynccontextmanager
async def told(
    supervisor: Supervisor, listener: socket.socket, task: object
) -> AsyncGenerator[Heard]:
    manager = ServiceManager(os.environ)
    supervisor.happenings.observe(manager.observe)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(task, manager, supervisor)  # type: ignore[arg-type]
        yield Heard(listener)
        nursery.cancel_scope.cancel()


async def until_stuck(caplog, seat: str) -> None:
    """Wait until the log says so of this seat."""

    def said() -> list[str]:
        events = (record.__dict__ for record in caplog.records)
        return [told["PLAYD_SEAT"] for told in events if told.get("PLAYD_EVENT") == "stuck"]

    with trio.fail_after(60):
        while seat not in said():  # noqa: ASYNC110
            await trio.sleep(0.01)


async def test_the_status_follows_what_is_played(opened, listener) -> None:
    async with opened("plays", 3) as daemon:
        async with told(daemon.supervisor, listener, keep_status) as heard:
            assert await heard.until("STATUS") == "0 of 2 seats play, 0 turns"
            await daemon.join("red")
            while await heard.until("STATUS") != "1 of 2 seats play, 3 turns":
                pass


async def test_a_drain_asks_for_the_time_that_it_may_take(opened, listener, caller: Caller) -> None:
    async with opened("good") as daemon:
        async with told(daemon.supervisor, listener, keep_status) as heard:
            await daemon.join("red")
            await daemon.supervisor.drain(caller)
            while "STOPPING" not in (last := await heard.next()):
                pass

    assert last["STOPPING"] == "1"
    assert int(last["EXTEND_TIMEOUT_USEC"]) > 15_000_000


async def test_a_reload_begins_and_ends_for_systemd_even_with_a_bad_file(
    opened, listener, caller: Caller, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text("no TOML")
    async with opened("good", configuration=bad) as daemon:
        async with told(daemon.supervisor, listener, keep_status) as heard:
            assert "bad" not in await heard.until("STATUS")
            with pytest.raises(Refusal):
                await daemon.supervisor.reload(caller)
            begun = await heard.next()
            assert begun["RELOADING"] == "1"
            assert int(begun["MONOTONIC_USEC"]) > 0
            assert await heard.until("READY") == "1"
            assert "bad configuration" in await heard.until("STATUS")


async def test_a_silent_session_does_not_keep_the_watchdog_hungry(opened, listener) -> None:
    async with opened("silent") as daemon:
        async with told(daemon.supervisor, listener, feed_watchdog) as heard:
            await daemon.join("red")
            for _ in range(8):
                assert await heard.until("WATCHDOG") == "1"


async def test_a_pump_that_does_not_come_back_starves_the_watchdog(opened, listener) -> None:
    async with opened("good") as daemon:
        await daemon.join("red")
        (_, session) = next(daemon.supervisor.register.live())
        async with told(daemon.supervisor, listener, feed_watchdog) as heard:
            assert await heard.until("WATCHDOG") == "1"
            with session.pulse.at_work():
                await trio.sleep(0.3)  # past every tick that may have been under way
                while not heard.nothing():
                    await heard.next()
                await trio.sleep(0.5)
                assert heard.nothing()
            assert await heard.until("WATCHDOG") == "1"


async def test_case_40_pumps_that_all_answer_late_on_a_busy_machine_feed_the_watchdog(
    opened, listener, caplog
) -> None:
    async with opened("good") as daemon:
        for seat in ("red", "blue"):
            await daemon.join(seat)
        pulses = [session.pulse for _, session in daemon.supervisor.register.live()]
        async with told(daemon.supervisor, listener, feed_watchdog) as heard:
            assert await heard.until("WATCHDOG") == "1"
            with ExitStack() as at_work:
                for pulse in pulses:
                    at_work.enter_context(pulse.at_work())
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(until_stuck, caplog, "red")
                    nursery.start_soon(until_stuck, caplog, "blue")
                while not heard.nothing():
                    await heard.next()
            assert await heard.until("WATCHDOG") == "1"


async def test_without_systemd_nobody_is_told_and_nothing_is_fed(opened) -> None:
    manager = ServiceManager({"WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"})
    async with opened("good") as daemon:
        manager.tell(READY=1)
        await feed_watchdog(manager, daemon.supervisor)

    assert manager.watchdog is None


async def test_the_status_names_seats_that_wait_for_a_person(opened) -> None:
    async with opened("crash_late") as daemon:
        await daemon.join("red")
        await daemon.until_seat("failed", seconds=20)

        text = status_text(daemon.supervisor.register.views(), 7)

    assert text == "0 of 2 seats play, 7 turns; failed: red"


async def test_a_pulse_is_felt_while_its_task_waits_and_when_its_work_failed() -> None:
    pulse = Pulse()
    await pulse.felt()
    with pytest.raises(ZeroDivisionError):
        with pulse.at_work():
            raise ZeroDivisionError
    await pulse.felt()
    with pulse.at_work(), trio.move_on_after(0.01) as limit:
        await pulse.felt()
    assert limit.cancelled_caught
