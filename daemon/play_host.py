"""Settles, at the first join or observe, what an earlier daemon's end left open in the records."""

from __future__ import annotations

from collections.abc import Iterable

import trio
from msgspec.structs import replace

from daemon.happenings import SessionChanged
from daemon.lifecycle import after
from daemon.logs import log_of
from daemon.means import Means
from daemon.reckoning import reckoned, with_journal
from daemon.records import SessionRecord, Write
from daemon.seat import Seat
from daemon.state import StateUnavailable, unavailable
from kernel.journal.instant import utc_now


class PlayHost:
    """Started by whoever first wants to play or to look; before that nothing is touched."""

    def __init__(self, means: Means, seats: Iterable[Seat]) -> None:
        self._means = means
        self._stale = [seat for seat in seats if seat.stale is not None]
        self._turn = trio.Lock()

    async def start(self) -> None:
        """Give every stale session its end. Raises Refusal when the state cannot be written."""
        async with self._turn:
            while self._stale:
                await self._settle(self._stale[-1])
                self._stale.pop()

    async def _settle(self, seat: Seat) -> None:
        assert seat.stale is not None
        stale = await with_journal(self._means, seat.stale)
        if stale.state == "claimed" and stale.journal is not None:
            stale = replace(stale, state=after(stale.state, "spawn"))
            await self._commit(Write(session=stale, announce=True))
            seat.stale = stale
        ended = await reckoned(self._means, settled(stale, utc_now()))
        record = seat.record
        if record.recovery is not None and record.recovery.session_id == ended.session_id:
            record = replace(record, recovery=replace(record.recovery, required=True))
        await self._commit(Write(session=ended, seat=record, release=seat.name, announce=True))
        seat.record, seat.last, seat.stale = record, ended, None
        log_of(__name__, seat=seat.name, session=ended.session_id).warning(
            "%s: %s", ended.state, ended.reason, event=f"session_{ended.state}"
        )
        self._means.happenings.tell(SessionChanged(ended))

    async def _commit(self, write: Write) -> None:
        try:
            await self._means.state.commit(write)
        except StateUnavailable as error:
            raise unavailable(error) from error


def settled(stale: SessionRecord, at: str) -> SessionRecord:
    """The end of a session whose daemon is gone: refused if it never ran, else `lease_lapsed`.

    A journal shows that it ran, even where the disk was too full to record that.
    """
    ran = stale.state == "running" or stale.journal is not None
    event = "fail" if ran or stale.state == "stopping" else "refuse"
    return replace(
        stale,
        state=after(stale.state, event),
        process=None,
        ended_at=at,
        outcome="lease_lapsed" if event == "fail" else None,
        reason="the daemon was gone" if ran else "the daemon was gone before it ran",
        leave="unconfirmed" if ran else "not_joined",
    )
