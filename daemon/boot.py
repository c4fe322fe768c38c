"""What the daemon does before anything else: end what an earlier daemon left behind.

It contacts no world and starts no session. Sessions that were live stay so in the database, and
their seats `stale`, until the play host settles them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from daemon.cgroups import Cgroup
from daemon.children import Children
from daemon.descendants import family_of, kill
from daemon.logs import FieldLog, log_of
from daemon.process_table import Identity, Process, ProcessTable, marks_in
from daemon.records import SeatRecord, SessionRecord
from daemon.seat import Seat
from daemon.state import State


async def take_over(state: State, children: Children, boot_id: str, now: float) -> dict[str, Seat]:
    """End the recorded processes of an earlier daemon; the seats as they then are.

    `now` is of CLOCK_BOOTTIME. A seat whose session's process cannot be identified, or not be
    ended, is blocked for as long as its lease may still hold: renewals are not written, so that
    is a whole lease from now.
    """
    seats = {name: Seat(record) for name, record in (await state.seats()).items()}
    leases = await state.leases()
    for session in await state.live_sessions():
        seat = seats.setdefault(session.seat, Seat(SeatRecord(seat=session.seat)))
        seat.stale = session
        survivors = await _end_leftovers(children, session, boot_id)
        unidentified = session.state == "starting" and session.process is None
        lease = leases.get(session.seat)
        if (survivors or unidentified) and lease is not None:
            seat.blocked_until = lease.may_act_until(boot_id, now)
        if seat.blocked_until is not None:
            _log_about(session).warning("waits for its lease's end", event="boot")
    for seat in seats.values():
        newest = await state.latest_sessions(seat.name, 1)
        seat.last = newest[0] if newest else None
    return seats


async def _end_leftovers(
    children: Children, session: SessionRecord, boot_id: str
) -> tuple[int, ...]:
    if session.boot_id != boot_id:
        return ()

    async def leftovers() -> list[Process]:
        return leftovers_of(await children.census.take(), session, marks_in)

    found = await leftovers()
    if found:
        pids = [process.pid for process in found]
        _log_about(session).warning("ends what an earlier daemon left: pids %s", pids, event="boot")
    cgroup = None if session.cgroup is None else Cgroup(Path(session.cgroup))
    if cgroup is not None:
        cgroup.kill()
    survivors = await kill(leftovers)
    if cgroup is not None:
        cgroup.remove()
    if survivors:
        _log_about(session).error("pids %s live on", survivors, event="boot")
    return survivors


def _log_about(session: SessionRecord) -> FieldLog:
    return log_of(__name__, seat=session.seat, session=session.session_id)


def leftovers_of(
    table: ProcessTable, session: SessionRecord, marks: Callable[[ProcessTable], Mapping[int, str]]
) -> list[Process]:
    """The living processes of an earlier daemon's session, by identity, descent and mark."""
    known: Collection[Identity] = (
        *([] if session.process is None else [session.process]),
        *session.descendants,
    )
    marked = {pid for pid, mark in marks(table).items() if mark == session.session_id}
    if session.cgroup is not None:
        marked |= Cgroup(Path(session.cgroup)).pids() & table.keys()
    alive = {
        identity.pid
        for identity in known
        if (process := table.get(identity.pid)) is not None and process.identity == identity
    }
    roots = {pid for pid in marked | alive if not table[pid].dead}
    family = set[int]().union(*(family_of(table, root, known) for root in roots))
    return [table[pid] for pid in family | roots]
