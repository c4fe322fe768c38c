"""Opens a supervisor over a state directory, runs its background tasks, and closes it whole."""

from __future__ import annotations

import resource
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from config.settings import Settings
from daemon.boot import take_over
from daemon.cgroups import Cgroups, delegated_cgroups
from daemon.children import Children
from daemon.delays import Delays
from daemon.events import EventLog
from daemon.happenings import Happenings
from daemon.leases import Lease
from daemon.means import Means
from daemon.process_table import Census, boot_id
from daemon.starts import Starts
from daemon.state import StateUnavailable, open_state
from daemon.state_lock import held_state
from daemon.supervisor import Supervisor
from daemon.unwritten import keep_writing, write_or_name
from daemon.worlds import Worlds
from kernel.lease import boottime as read_boottime

SESSION_COMMAND = (sys.executable, "-m", "kernel.session")
CONTRACT_DELAYS = Delays()


@asynccontextmanager
async def open_supervisor(
    settings: Settings,
    state_directory: Path,
    *,
    configuration: Path | None = None,
    command: Sequence[str] = SESSION_COMMAND,
    delays: Delays = CONTRACT_DELAYS,
    boottime: Callable[[], float] = read_boottime,
    starts: Starts | None = None,
    find_cgroups: Callable[[], Cgroups | None] = delegated_cgroups,
) -> AsyncGenerator[Supervisor]:
    """A supervisor that owns everything it starts: at the block's end all of it is gone.

    For the main thread. `drain` is the gentle end; leaving the block kills what is left. Raises
    StateHeld and StateError, both before anything is changed, and OSError.
    """
    with held_state(state_directory):
        async with open_state(state_directory, EventLog(state_directory / "events.jsonl")) as state:
            _raise_descriptor_limit()
            children = Children(Census())
            async with trio.open_nursery() as background:
                await background.start(children.reap_adopted)
                boot = boot_id()
                seats = await take_over(state, children, boot, boottime())
                means = Means(
                    settings=settings,
                    state_directory=state_directory,
                    command=tuple(command),
                    state=state,
                    children=children,
                    happenings=Happenings(),
                    delays=delays,
                    starts=starts or Starts(),
                    cgroups=find_cgroups(),
                    boot_id=boot,
                    boottime=boottime,
                )
                closing, closed = trio.Event(), trio.Event()
                owned = await background.start(_own, closing, closed)
                worlds = Worlds(children, delays, state_directory, owned)
                supervisor = Supervisor(means, seats, worlds, owned, configuration)
                background.start_soon(_tend_leases, means, supervisor)
                background.start_soon(keep_writing, state, delays.unwritten)
                try:
                    yield supervisor
                finally:
                    closing.set()
                    supervisor.kill_all()
                    with trio.CancelScope(shield=True):
                        # Bounded: everything owned was told to end, with SIGKILL.
                        await closed.wait()
                        await children.sweep()
                        await write_or_name(state)
                    background.cancel_scope.cancel()


def _raise_descriptor_limit() -> None:
    """Each session takes four, and the usual limit is meant for programs that use `select`."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def _own(
    closing: trio.Event,
    closed: trio.Event,
    *,
    task_status: trio.TaskStatus[trio.Nursery] = trio.TASK_STATUS_IGNORED,
) -> None:
    """A nursery that nothing cancels, so that every session's end is seen and recorded."""
    try:
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as owned:
                task_status.started(owned)
                await closing.wait()
    finally:
        closed.set()


async def _tend_leases(means: Means, supervisor: Supervisor) -> None:
    """Renew what is due and end what cannot be renewed in time.

    By the clock, since no event tells that the machine was suspended.
    """
    grace = means.delays.term_grace
    while True:
        await trio.sleep(means.delays.lease_check)
        now = means.boottime()
        sessions = [session for _, session in supervisor.register.live()]
        holders: dict[str, Lease] = {}
        if any(session.lease.due(now, term_grace=grace) == "renew" for session in sessions):
            holders = await _holders(means)
            now = means.boottime()
        for session in sessions:
            session.tend_lease(now, holders.get(session.record.seat))


async def _holders(means: Means) -> dict[str, Lease]:
    """Whom the database names; nobody, when a slow or broken disk does not say in time."""
    with trio.move_on_after(means.delays.lease_check):
        try:
            return await means.state.leases()
        except StateUnavailable:
            return {}
    return {}
