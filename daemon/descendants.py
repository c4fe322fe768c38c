"""Everything that belongs to a session: finding it and ending it.

A session's process starts in its own session and process group. What it starts may leave both, be
orphaned by a double fork, or be a motor with a session of its own; so its family is found by
parentage, session, group, by the processes that it reported, and, for orphans that came to this
process as their subreaper, by the mark in their environment.
"""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Awaitable, Callable, Collection, Iterable
from contextlib import ExitStack

import trio

from daemon.cgroups import Cgroup
from daemon.process_table import (
    Census,
    Identity,
    Process,
    ProcessTable,
    mark_of,
    read_process,
)

SETTLE_SECONDS = 2.0
"""How long the kernel is given to end what was killed."""
_GONE = (errno.ESRCH, errno.EINVAL)
"""A process that cannot be opened any more; EINVAL in the moment of its end, before Linux 6.16."""


def family_of(
    table: ProcessTable, leader: int, reported: Collection[Identity], marked: Collection[int] = ()
) -> set[int]:
    """Pids of the leader's living descendants in a table; the leader itself is not one.

    `marked` are processes known by their environment or control group. A reported process counts
    only while it is the one that was reported.
    """
    roots = {leader, *marked}
    roots |= {
        known.pid
        for known in reported
        if (process := table.get(known.pid)) is not None and process.identity == known
    }
    members = {
        pid
        for pid, process in table.items()
        if pid in roots or process.session in roots or process.group in roots
    }
    children: dict[int, list[int]] = {}
    for pid, process in table.items():
        children.setdefault(process.parent, []).append(pid)
    unseen = list(members | {leader})
    while unseen:
        for child in children.get(unseen.pop(), ()):
            if child not in members:
                members.add(child)
                unseen.append(child)
    return {pid for pid in members if pid != leader and not table[pid].dead}


class Family:
    """The descendants of one session process."""

    def __init__(
        self, census: Census, session_id: str, leader: int, cgroup: Cgroup | None = None
    ) -> None:
        self._census = census
        self._session_id = session_id
        self._leader = leader
        self._cgroup = cgroup
        self._reported: set[Identity] = set()

    @property
    def reported(self) -> tuple[Identity, ...]:
        """Those that the session named itself."""
        return tuple(self._reported)

    async def report(self, pids: Iterable[int]) -> None:
        """Take the session's word that these belong to it, where descent or mark agree."""
        named = tuple(pids)
        if not named:
            return
        table = await self._census.take()
        for pid in named:
            process = table.get(pid)
            if process is not None and (
                _is_under(table, process, self._leader) or mark_of(pid) == self._session_id
            ):
                self._reported.add(process.identity)

    async def living(self) -> list[Process]:
        """The living descendants, as /proc shows them now."""
        table = await self._census.take()
        me = os.getpid()
        orphans = [p for p in table.values() if p.parent == me and not p.dead]
        marked = {p.pid for p in orphans if mark_of(p.pid) == self._session_id} - {self._leader}
        grouped = set[int]() if self._cgroup is None else self._cgroup.pids() - {self._leader}
        family = family_of(table, self._leader, self._reported, marked | grouped)
        return [table[pid] for pid in family]


Find = Callable[[], Awaitable[list[Process]]]
"""Looks for the processes to end, afresh at each call."""


async def terminate(find: Find) -> None:
    """SIGTERM to all that `find` gives, until it gives nothing. The caller bounds it."""
    while found := await find():
        await _signal_and_wait(found, signal.SIGTERM)


async def kill(find: Find) -> tuple[int, ...]:
    """SIGKILL to all that `find` gives, again while what is dying forks; who lives on after all.

    Bound: `SETTLE_SECONDS`.
    """
    with trio.move_on_after(SETTLE_SECONDS):
        while found := await find():
            await _signal_and_wait(found, signal.SIGKILL)
        return ()
    return tuple(sorted(process.pid for process in await find()))


def send_signal(identity: Identity, number: signal.Signals) -> bool:
    """Signal this very process. False: it is gone, or not ours to signal."""
    try:
        descriptor = os.pidfd_open(identity.pid)
    except OSError as error:
        if error.errno in _GONE:
            return False
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            raise
        return _send_without_descriptor(identity, number)
    try:
        process = read_process(identity.pid)
        if process is None or process.identity != identity:
            return False
        signal.pidfd_send_signal(descriptor, number)
    except (ProcessLookupError, PermissionError):
        return False
    finally:
        os.close(descriptor)
    return True


def _is_under(table: ProcessTable, process: Process, ancestor: int) -> bool:
    for _ in range(len(table)):
        if process.pid == ancestor or process.session == ancestor:
            return True
        parent = table.get(process.parent)
        if parent is None:
            return False
        process = parent
    return False


async def _signal_and_wait(processes: list[Process], number: signal.Signals) -> None:
    with ExitStack() as open_descriptors:
        waits: list[int] = []
        for process in processes:
            if not send_signal(process.identity, number):
                continue
            try:
                descriptor = os.pidfd_open(process.pid)
            except OSError:
                continue  # gone already, or no descriptor left: then the caller looks again
            open_descriptors.callback(os.close, descriptor)
            waits.append(descriptor)
        if not waits:
            # Without a descriptor there is no event to wait for.
            await trio.sleep(0.02)
        for descriptor in waits:
            await trio.lowlevel.wait_readable(descriptor)


def _send_without_descriptor(identity: Identity, number: signal.Signals) -> bool:
    process = read_process(identity.pid)
    if process is None or process.identity != identity:
        return False
    try:
        os.kill(identity.pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
