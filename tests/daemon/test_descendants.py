"""Everything that a session started is found, ended and reaped (cases 2, 4, 20, 35)."""

import gc
import os
import sys
import tracemalloc
from pathlib import Path

import pytest
import trio

from config.settings import Limits
from daemon.children import Children, become_subreaper
from daemon.descendants import family_of
from daemon.process_table import Census, Identity, Process, ProcessTable, read_processes

pytestmark = pytest.mark.usefixtures("no_children_left")


def table_of(*rows: tuple[int, int, int]) -> ProcessTable:
    """Rows of pid, parent and session; the group is the session."""
    return {
        pid: Process(Identity(pid, pid * 10), parent, session, session, dead=False)
        for pid, parent, session in rows
    }


TABLE = table_of(
    (1, 0, 1),
    (10, 1, 10),  # the daemon
    (20, 10, 20),  # the session process
    (21, 20, 20),  # its child
    (22, 21, 22),  # a grandchild with a session of its own
    (23, 10, 20),  # an orphan of it that stayed in its session
    (24, 10, 24),  # an orphan with a session of its own
    (25, 24, 24),  # and that one's child
    (30, 10, 30),  # another session process
    (31, 30, 30),
)


@pytest.mark.parametrize(
    ("reported", "marked", "found"),
    [
        ((), (), {21, 22, 23}),
        ((Identity(24, 240),), (), {21, 22, 23, 24, 25}),
        ((Identity(24, 999),), (), {21, 22, 23}),
        ((), (24,), {21, 22, 23, 24, 25}),
        ((Identity(99, 1),), (), {21, 22, 23}),
    ],
)
def test_a_family_is_found_by_descent_session_report_and_mark(reported, marked, found: set[int]):
    assert family_of(TABLE, 20, reported, marked) == found


def test_a_dead_leader_still_has_its_family():
    table = {**TABLE, 20: Process(Identity(20, 200), 10, 20, 20, dead=True)}
    table[21] = Process(Identity(21, 210), 10, 20, 20, dead=False)
    assert family_of(table, 20, ()) == {21, 22, 23}


async def test_a_stop_reaches_grandchildren_that_ignore_sigterm_or_left(
    opened, alive, tmp_path: Path
):
    """Case 2."""
    file = tmp_path / "pids"
    async with opened("family", file) as playd:
        await playd.join()
        pids = [int(word) for word in file.read_text().split()]
        assert len(pids) == 3
        assert all(map(alive, pids))
        stopped = await playd.stop()
        assert (stopped.outcome, stopped.survivors) == ("stopped", ())
        assert not any(map(alive, pids))


async def test_a_kill_reaches_them_too(opened, alive, tmp_path: Path):
    file = tmp_path / "pids"
    async with opened("family", file) as playd:
        await playd.join()
        pids = [int(word) for word in file.read_text().split()]
        await playd.stop(now=True)
        assert not any(map(alive, pids))


async def test_two_hundred_double_forks_leave_no_zombie(opened):
    """Case 4."""
    async with opened("double_forks") as playd:
        await playd.join()
        await playd.until_phase("forked")
        with trio.fail_after(60):
            while _zombies():  # noqa: ASYNC110
                # Nothing tells when the reaper has caught up.
                await trio.sleep(0.02)
        assert (await playd.stop()).outcome == "stopped"


@pytest.mark.parametrize("cycles", [8, pytest.param(1000, marks=pytest.mark.long)])
async def test_session_after_session_costs_no_descriptor_and_no_memory(
    opened, make_settings, cycles: int
):
    """Case 24."""
    settings = make_settings("red", restart=frozenset(), limits=Limits())
    async with opened("good", settings=settings) as playd:

        async def cycle() -> None:
            await playd.join()
            await playd.stop()

        for _ in range(4):
            await cycle()
        before = _descriptors()
        gc.collect()
        tracemalloc.start()
        try:
            first, _ = tracemalloc.get_traced_memory()
            for _ in range(cycles):
                await cycle()
            gc.collect()
            grown = tracemalloc.get_traced_memory()[0] - first
        finally:
            tracemalloc.stop()
        assert _descriptors() == before
        assert grown < 200_000


@pytest.mark.parametrize("cycles", [5, pytest.param(500, marks=pytest.mark.long)])
async def test_crash_after_crash_costs_no_descriptor(opened, make_settings, cycles: int):
    """Case 35."""
    async with opened("crash_late", settings=make_settings("red", restart=frozenset())) as playd:

        async def cycle() -> None:
            await playd.join()
            await playd.until_seat("recovery_required")
            await playd.supervisor.reset(playd.caller, "red")

        await cycle()
        before = _descriptors()
        for _ in range(cycles):
            await cycle()
        assert _descriptors() == before


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _zombies() -> list[int]:
    me = os.getpid()
    return [p.pid for p in read_processes().values() if p.parent == me and p.dead]


async def test_two_sweeps_at_once_reap_the_same_orphan_once():
    children = Children(Census())
    become_subreaper()
    orphan = "import os; os.setsid() if os.fork() == 0 else None; os._exit(0)"
    await trio.run_process([sys.executable, "-S", "-c", orphan], start_new_session=True)
    with trio.fail_after(60):
        while not _zombies():  # noqa: ASYNC110
            # The orphan has its own time to end in.
            await trio.sleep(0.01)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(children.sweep)
            nursery.start_soon(children.sweep)
    assert _zombies() == []
