"""A disk that takes long to take a write: a stop is not kept waiting by it."""

import logging
import sqlite3
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
import trio
import trio.testing

from daemon.happenings import Happening, SessionChanged, SessionSaid
from daemon.refusal import Refusal
from daemon.state import FILE
from kernel.session.wire import Hello

pytestmark = pytest.mark.usefixtures("no_children_left")


@contextmanager
def slow_disk(state: Path) -> Generator[None]:
    """The database takes no write for as long as this lasts, up to its patience of 5 s."""
    with closing(sqlite3.connect(state / FILE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield  # to close it is to roll back


@contextmanager
def no_thread_left() -> Generator[None]:
    """What needs a worker thread, as a spawn does, waits for as long as this lasts."""
    threads = trio.to_thread.current_default_thread_limiter()
    borrowers = [object() for _ in range(int(threads.available_tokens))]
    for borrower in borrowers:
        threads.acquire_on_behalf_of_nowait(borrower)
    try:
        yield
    finally:
        for borrower in borrowers:
            threads.release_on_behalf_of(borrower)


class Ended(logging.Handler):
    """Tells when a session is stopped: long before that is recorded, if the disk is slow."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = trio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        if getattr(record, "PLAYD_EVENT", None) == "session_stopped":
            self.seen.set()


@pytest.fixture
def ended() -> Generator[Ended]:
    handler = Ended()
    logging.getLogger("daemon").addHandler(handler)
    yield handler
    logging.getLogger("daemon").removeHandler(handler)


@pytest.mark.parametrize("now", [False, True], ids=["gentle", "now"])
@pytest.mark.parametrize("spawned", [False, True], ids=["during the spawn", "after the spawn"])
async def test_a_stop_of_a_session_that_was_not_told_to_start_waits_for_no_write(
    opened, tmp_path: Path, caplog, ended: Ended, spawned: bool, now: bool
):
    caplog.set_level("INFO")
    claimed, greeted = trio.Event(), trio.Event()
    slow, busy = ExitStack(), ExitStack()

    def note(happening: Happening) -> None:
        match happening:
            case SessionChanged(session) if session.state == "claimed":
                slow.enter_context(slow_disk(tmp_path / "state"))
                if not spawned:
                    busy.enter_context(no_thread_left())
                claimed.set()
            case SessionSaid(message=Hello()):
                greeted.set()
            case _:
                pass

    async def refused() -> None:
        with pytest.raises(Refusal, match="stopped"):
            await playd.join()

    async def stop() -> None:
        stopped = await playd.stop(now=now)
        assert (stopped.outcome, stopped.leave) == ("stopped", "not_joined")

    async with opened("good") as playd:
        playd.supervisor.happenings.observe(note)
        with trio.fail_after(60), slow, busy:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(refused)
                await (greeted if spawned else claimed).wait()
                await trio.testing.wait_all_tasks_blocked()
                nursery.start_soon(stop)
                await trio.testing.wait_all_tasks_blocked()
                busy.close()
                await ended.seen.wait()
                assert "the state could not be written; it is tried again" not in caplog.messages
                slow.close()
