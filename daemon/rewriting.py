"""Changes what is recorded of a seat: the database first, then what this daemon knows."""

from __future__ import annotations

from daemon.happenings import SeatChanged
from daemon.means import Means
from daemon.records import SeatRecord, Write
from daemon.seat import Seat
from daemon.state import StateUnavailable, unavailable


async def rewrite(means: Means, seat: Seat, record: SeatRecord, *, release: bool = False) -> None:
    """Commit the new record and tell of it; with `release` its lease ends too. Raises Refusal."""
    try:
        await means.state.commit(Write(seat=record, release=seat.name if release else None))
    except StateUnavailable as error:
        raise unavailable(error) from error
    seat.record = record
    means.happenings.tell(SeatChanged(seat.name))
