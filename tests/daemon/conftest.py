"""A supervisor over a temporary directory, whose session processes misbehave as asked."""

import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from config.settings import ControlRoom, Limits, Model, PokemonSeat, Settings
from daemon.control.peers import Caller
from daemon.control.wire import BudgetChange, JoinResult
from daemon.delays import Delays
from daemon.happenings import Happening
from daemon.opening import open_supervisor
from daemon.process_table import read_process, read_processes
from daemon.supervisor import Supervisor

CHILD = Path(__file__).parent / "children" / "session.py"


@pytest.fixture
def caller() -> Caller:
    return Caller(uid=1000, gid=1000, pid=1)


@pytest.fixture
def quick() -> Delays:
    return Delays(
        term_grace=0.3,
        leftover_grace=0.1,
        drain=0.3,
        farewell=0.3,
        say=10.0,
        lease_check=0.05,
        unwritten=0.05,
        first_restart=0.02,
    )


def seat_settings(**changes: object) -> PokemonSeat:
    fields: dict[str, object] = {
        "model": "practice",
        "address": "unix:/nowhere",
        "game": "firered",
        "display_name": "Tester",
        **changes,
    }
    return PokemonSeat(**fields)  # type: ignore[arg-type]


@pytest.fixture
def make_settings() -> Callable[..., Settings]:
    return settings_of


def settings_of(*names: str, limits: Limits | None = None, **changes: object) -> Settings:
    return Settings(
        models={
            "practice": Model(
                provider="openai", model="practice", base_url="http://127.0.0.1:1/v1", local=True
            ),
            "unpriced": Model(
                provider="openai", model="unpriced", base_url="http://127.0.0.1:1/v1"
            ),
        },
        rooms={"parlour": ControlRoom()},
        seats={name: seat_settings(**changes) for name in names},
        limits=limits or Limits(),
    )


class Opened:
    """A supervisor and the calls that nearly every test makes."""

    def __init__(self, supervisor: Supervisor, caller: Caller) -> None:
        self.supervisor = supervisor
        self.caller = caller

    async def join(self, seat: str = "red", wait: float = 60) -> JoinResult:
        return await self.supervisor.join(self.caller, seat, None, BudgetChange(), wait)

    async def stop(self, seat: str = "red", *, now: bool = False):
        return await self.supervisor.stop(self.caller, seat, now)

    async def seat(self, seat: str = "red"):
        views = await self.supervisor.seats(self.caller)
        return next(view for view in views.seats if view.seat == seat)

    async def until(self, holds: Callable[[], Awaitable[bool]], seconds: float = 60) -> None:
        """Wait for a condition, looked at after everything that happens."""
        happened = trio.Event()

        def wake(_: Happening) -> None:
            happened.set()

        with trio.fail_after(seconds), self.supervisor.happenings.observed_by(wake):
            while not await holds():
                await happened.wait()
                happened = trio.Event()

    async def until_seat(self, state: str, seat: str = "red", seconds: float = 60):
        """Wait until the seat is in a state; its view."""

        async def there() -> bool:
            return (await self.seat(seat)).state == state

        await self.until(there, seconds)
        return await self.seat(seat)

    async def until_phase(self, phase: str, seat: str = "red", seconds: float = 60) -> None:
        """Wait until the seat's session says that it is in a phase."""

        async def there() -> bool:
            session = (await self.seat(seat)).session
            return session is not None and session.phase == phase

        await self.until(there, seconds)


@pytest.fixture
def opened(tmp_path: Path, caller: Caller, quick: Delays):
    """`opened("good")`: a supervisor with the seats red and blue whose sessions behave well."""

    @asynccontextmanager
    async def open_one(
        behaviour: str,
        argument: object = "",
        *,
        settings: Settings | None = None,
        delays: Delays = quick,
        command: list[str] | None = None,
        **more: object,
    ):
        child = [sys.executable, "-S", "-I", str(CHILD), behaviour, str(argument)]
        async with open_supervisor(
            settings or settings_of("red", "blue"),
            tmp_path / "state",
            command=command or child,
            delays=delays,
            **more,  # type: ignore[arg-type]
        ) as supervisor:
            yield Opened(supervisor, caller)

    return open_one


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    process = read_process(pid)
    return process is not None and not process.dead


@pytest.fixture
def alive() -> Callable[[int], bool]:
    return is_alive


@pytest.fixture
def no_children_left():
    """After the test this process has no child that it did not have before."""
    before = _children()
    yield
    assert _children() - before == set()


def _children() -> set[int]:
    return {process.pid for process in read_processes().values() if process.parent == os.getpid()}
