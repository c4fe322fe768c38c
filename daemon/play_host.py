"""Settles, at the first join or observe, what an earlier daemon's end left open in the records."""

from __future__ import annotations

from collections.abc import Iterable

import trio
from msgspec.structs import replace

from daemon.endings import Leaving
from daemon.happenings import SessionChanged
from daemon.lifecycle import after
from daemon.logs import log_of
from daemon.means import Means
from daemon.reckoning import own_summary, reckoned, with_journal
from daemon.records import SessionRecord, Write
from daemon.seat import Seat
from daemon.state import StateUnavailable, unavailable
from kernel.journal.instant import utc_now
from kernel.journal.lines import SummaryLine


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
        summary = await own_summary(stale)
        ended = await reckoned(self._means, settled(stale, summary, utc_now()))
        record, recovery = seat.record, seat.record.recovery
        if recovery is not None and recovery.session_id == ended.session_id:
            confirmed = ended.leave == "confirmed"
            recovery = None if confirmed else replace(recovery, required=True)
            record = replace(record, recovery=recovery)
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


def settled(stale: SessionRecord, summary: SummaryLine | None, at: str) -> SessionRecord:
    """The end of a session whose daemon is gone: refused if it never ran, else `lease_lapsed`.

    A journal shows that it ran, even where the disk was too full to record that; and its `summary`,
    where that is whole, whether it gave its body back before it ended.
    """
    ran = stale.state == "running" or stale.journal is not None
    event = "fail" if ran or stale.state == "stopping" else "refuse"
    return replace(
        stale,
        state=after(stale.state, event),
        process=None,
        ended_at=at,
        outcome="lease_lapsed" if event == "fail" else None,
        reason=_GONE + (_told(summary) if ran else " before it ran"),
        leave=_leave(summary) if ran else "not_joined",
    )


def _told(summary: SummaryLine | None) -> str:
    if summary is None:
        return ""
    confirmed = "confirmed" if _leave(summary) == "confirmed" else "not confirmed"
    return f"; the session ended {summary.outcome} by itself and its leave was {confirmed}"


def _leave(summary: SummaryLine | None) -> Leaving:
    confirmed = summary is not None and summary.leave == "confirmed"
    return "confirmed" if confirmed else "unconfirmed"


_GONE = "the daemon was gone"
