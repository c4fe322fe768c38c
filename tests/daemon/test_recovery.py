"""Unconfirmed leaves, and what a daemon finds of an earlier one (cases 1, 7, 15, 27)."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from daemon.delays import Delays
from daemon.happenings import Happening, RestartPlanned
from daemon.refusal import Refusal

pytestmark = pytest.mark.usefixtures("no_children_left")

DAEMON = """
import sys
from pathlib import Path
import trio
sys.path.insert(0, sys.argv[1])
from conftest import settings_of
from daemon.control.peers import Caller
from daemon.control.wire import BudgetChange
from daemon.opening import open_supervisor

async def main():
    command = [sys.executable, "-S", "-I", *sys.argv[3:]]
    async with open_supervisor(settings_of("red", "blue"), Path(sys.argv[2]), command=command) as s:
        print("open", flush=True)
        await s.join(Caller(uid=0, gid=0, pid=1), "red", None, BudgetChange(), 10)
        print((await s.seats(None)).seats[1].session.pid, flush=True)
        await trio.sleep_forever()

trio.run(main)
"""
HERE = Path(__file__).parent
CHILD = HERE / "children" / "session.py"


def start_daemon(state: Path, behaviour: str, argument: object = "") -> subprocess.Popen[str]:
    """An earlier daemon, as a process of its own that joins the seat red."""
    return subprocess.Popen(
        [sys.executable, "-c", DAEMON, str(HERE), str(state), str(CHILD), behaviour, str(argument)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=HERE.parents[1],
    )


def killed(daemon: subprocess.Popen[str]) -> None:
    daemon.send_signal(signal.SIGKILL)
    daemon.communicate()


async def test_an_unconfirmed_leave_blocks_the_seat_until_the_world_settles_it(
    opened, tmp_path: Path
):
    answer = tmp_path / "answer"
    answer.write_text("unsettled")
    async with opened("ends_unconfirmed", answer) as playd:
        await playd.join()
        seat = await playd.until_seat("recovery_required")
        assert (seat.session.outcome, seat.session.leave) == ("world_ended", "unconfirmed")
        with pytest.raises(Refusal) as refusal:
            await playd.join()
        assert refusal.value.code == "unsettled"
        with pytest.raises(Refusal) as refusal:
            await playd.supervisor.recover(playd.caller, "red", False)
        assert refusal.value.code == "unsettled"
        answer.write_text("settled")
        settled = await playd.supervisor.recover(playd.caller, "red", False)
        assert settled.outcome == "settled"
        assert (await playd.seat()).state == "idle"
        again = await playd.supervisor.recover(playd.caller, "red", False)
        assert again.outcome == "nothing_to_recover"
        assert (await playd.join()).generation == 2


async def test_a_join_settles_first(opened, tmp_path: Path):
    async with opened("ends_unconfirmed", tmp_path / "settled-by-default") as playd:
        await playd.join()
        await playd.until_seat("recovery_required")
        assert (await playd.join()).state == "running"


async def test_a_persons_word_settles_too(opened, tmp_path: Path, caplog):
    (tmp_path / "answer").write_text("unsettled")
    async with opened("ends_unconfirmed", tmp_path / "answer") as playd:
        await playd.join()
        await playd.until_seat("recovery_required")
        forced = await playd.supervisor.recover(playd.caller, "red", True)
        assert forced.outcome == "forced"
        assert (await playd.seat()).state == "idle"
    assert any("uid 1000 forced it" in message for message in caplog.messages)


async def test_a_stop_while_the_world_is_asked_ends_the_join(opened, make_settings, tmp_path: Path):
    settings = make_settings("red", restart=frozenset())
    async with opened("silent_recovery", tmp_path, settings=settings) as playd:
        await playd.join()
        await playd.until_seat("recovery_required")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_refused, playd)
            await playd.until_seat("starting")
            with trio.fail_after(60):
                await playd.stop()


async def _unsettled_after_a_crash(playd, answer: Path) -> None:
    answer.write_text("unsettled")
    session = (await playd.seat()).session
    os.kill(session.pid, signal.SIGKILL)


async def test_a_world_that_confirms_nothing_after_a_crash_fails_no_seat_and_is_asked_again(
    opened, make_settings, tmp_path: Path
):
    planned: list[RestartPlanned] = []

    def note(happening: Happening) -> None:
        if isinstance(happening, RestartPlanned):
            planned.append(happening)

    async def asked_six_times() -> bool:
        return len(planned) == 7

    answer = tmp_path / "answer"
    settings = make_settings("red", restart=frozenset({"crashed"}))
    async with opened("good", answer, settings=settings) as playd:
        await playd.join()
        with playd.supervisor.happenings.observed_by(note):
            await _unsettled_after_a_crash(playd, answer)
            await playd.until(asked_six_times)
            assert [plan.died for plan in planned] == [True, *[False] * 6]
            delays = [plan.delay / planned[0].delay for plan in planned]
            assert delays == [1, 1, 2, 4, 8, 16, 32]
            seat = await playd.seat()
            assert (seat.state, seat.deaths) == ("recovery_required", 1)
            assert seat.detail.endswith("not confirmed: unsettled; playctl recover red --force")
            assert seat.restart_in is not None
            with pytest.raises(Refusal) as refusal:
                await playd.join()
            assert refusal.value.code == "unsettled"
        answer.write_text("settled")
        seat = await playd.until_seat("running")
        assert (seat.generation, seat.deaths) == (2, 1)


async def test_a_stop_ends_the_asking_and_then_a_persons_word_is_enough(
    opened, make_settings, tmp_path: Path
):
    answer = tmp_path / "answer"
    settings = make_settings("red", restart=frozenset({"crashed"}))
    async with opened("good", answer, settings=settings) as playd:
        await playd.join()
        await _unsettled_after_a_crash(playd, answer)
        await playd.until_seat("recovery_required")
        stopped = await playd.stop()
        assert (stopped.session_id, stopped.detail) == (None, "The pending restart was cancelled.")
        seat = await playd.seat()
        assert (seat.state, seat.restart_in) == ("recovery_required", None)
        await playd.supervisor.recover(playd.caller, "red", True)
        assert (await playd.join()).generation == 2


@pytest.mark.parametrize("force", [True, False])
async def test_a_seat_that_waits_to_ask_again_plays_on_at_once_when_it_is_recovered(
    opened, make_settings, tmp_path: Path, mock_clock: MockClock, force: bool
):
    mock_clock.rate = 1.0
    answer = tmp_path / "answer"
    settings = make_settings("red", restart=frozenset({"crashed"}))
    slow = Delays(first_restart=3600.0)
    async with opened("good", answer, settings=settings, delays=slow) as playd:
        await playd.join()
        await _unsettled_after_a_crash(playd, answer)
        await playd.until_seat("restarting")
        mock_clock.jump(3600.0)
        seat = await playd.until_seat("recovery_required")
        assert seat.restart_in > 3000
        if not force:
            with pytest.raises(Refusal, match="not confirmed"):
                await playd.supervisor.recover(playd.caller, "red", False)
            assert (await playd.seat()).state == "recovery_required"
            answer.write_text("settled")
        recovered = await playd.supervisor.recover(playd.caller, "red", force)
        assert recovered.outcome == ("forced" if force else "settled")
        assert (await playd.until_seat("running")).generation == 2


async def test_a_persons_word_while_the_world_is_asked_holds(opened, make_settings, tmp_path: Path):
    """The session was killed, the first answer is no, and the next question stays open."""
    answer = tmp_path / "answer"
    settings = make_settings("red", restart=frozenset({"crashed"}))
    async with opened("good", answer, settings=settings) as playd:
        await playd.join()
        await _unsettled_after_a_crash(playd, answer)
        await playd.until_seat("recovery_required")
        held = tmp_path / "held"
        os.mkfifo(held)
        held.rename(answer)
        asked = await _opened_by_a_reader(answer)
        forced = await playd.supervisor.recover(playd.caller, "red", True)
        assert forced.outcome == "forced"
        os.write(asked, b"unsettled")
        os.close(asked)
        assert (await playd.until_seat("running")).generation == 2


async def _opened_by_a_reader(pipe: Path) -> int:
    """Its writing end, once the process that asks the world reads it, which nobody tells."""
    with trio.fail_after(60):
        while True:
            try:
                return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                await trio.sleep(0.01)


async def _refused(playd) -> None:
    with pytest.raises(Refusal):
        await playd.join()


async def test_what_a_killed_daemon_left_is_ended_before_anything_else(
    opened, alive, tmp_path: Path
):
    """Cases 1 and 27."""
    pids = tmp_path / "pids"
    daemon = start_daemon(tmp_path / "state", "family_that_outlives", pids)
    try:
        assert daemon.stdout.readline() == "open\n"
        leader = int(daemon.stdout.readline())
        family = [leader, *map(int, pids.read_text().split())]
    finally:
        killed(daemon)
    assert all(map(alive, family))
    async with opened("good") as playd:
        left = [pid for pid in family if alive(pid)]
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        assert left == []
        seat = await playd.seat()
        assert (seat.state, seat.session.stale) == ("stale", True)
        listed = await playd.supervisor.sessions(playd.caller, "red", True, 10)
        assert [session.stale for session in listed.sessions] == [True]
        assert (await playd.seat("blue")).state == "idle"
        # Nothing starts by itself, and the first look settles the records.
        seen = await playd.supervisor.observe(playd.caller, "red")
        assert (seen.session.state, seen.session.outcome) == ("failed", "lease_lapsed")
        assert not seen.session.stale
        assert "playctl recover red" in seen.detail
        with pytest.raises(Refusal, match="not being played"):
            await playd.supervisor.observe(playd.caller, "red")
        seat = await playd.seat()
        assert seat.state == "recovery_required"
        assert (seat.session.state, seat.session.outcome) == ("failed", "lease_lapsed")
        assert (await playd.join()).generation == 2


async def test_a_world_that_had_ended_is_not_played_again_after_a_kill(opened, tmp_path: Path):
    """Case 15."""
    daemon = start_daemon(tmp_path / "state", "ends", "world_ended")
    events = tmp_path / "state" / "events.jsonl"
    try:
        with trio.fail_after(60):
            # Another process writes the file, and tells nobody here.
            while "stopped" not in _text_of(events):  # noqa: ASYNC110
                await trio.sleep(0.01)
    finally:
        killed(daemon)
    async with opened("good") as playd:
        seat = await playd.seat()
        assert (seat.state, seat.session.outcome) == ("idle", "world_ended")


MANY = [pytest.param(number / 250, marks=pytest.mark.long) for number in range(50)]


@pytest.mark.parametrize("delay", [0.0, 0.06, 0.15, *MANY])
async def test_a_daemon_killed_at_any_moment_of_a_join_leaves_nothing(
    opened, delay: float, tmp_path: Path
):
    """Case 7."""
    daemon = start_daemon(tmp_path / "state", "plays", 0)
    try:
        assert daemon.stdout.readline() == "open\n"
        await trio.sleep(delay)
    finally:
        killed(daemon)
    async with opened("good") as playd:
        assert _processes_of(tmp_path / "state") == []
        seat = await playd.seat()
        assert seat.state in ("stale", "idle")
        generation = seat.generation
        code, joined = None, None
        try:
            joined = await playd.join()
        except Refusal as refusal:
            code = refusal.code
        # Killed between the claim and the record of its process: the lease must run out.
        assert code == "lease_held" or joined.generation == generation + 1


def _text_of(file: Path) -> str:
    return file.read_text() if file.exists() else ""


def _processes_of(state: Path) -> list[int]:
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if str(state).encode() in command and b"session.py" in command:
                found.append(int(entry.name))
    return found
