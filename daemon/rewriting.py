"""Changes what is recorded of a seat: the database first, then what this daemon knows."""

from __future__ import annotations

from collections.abc import Callable

from daemon.happenings import SeatChanged
from daemon.means import Means
from daemon.records import SeatRecord, Write
from daemon.seat import Seat
from daemon.state import StateUnavailable, unavailable


async def rewrite(
    means: Means,
    seat: Seat,
    change: Callable[[SeatRecord], SeatRecord],
    *,
    release: bool = False,
) -> None:
    """Commit the changed record and tell of it; with `release` its lease ends too. Raises Refusal.

    What a session changes in the record meanwhile stays.
    """
    async with seat.changing:
        write = Write(seat=change(seat.record), release=seat.name if release else None)
        try:
            await means.state.commit(write)
        except StateUnavailable as error:
            raise unavailable(error) from error
        seat.record = change(seat.record)
    means.happenings.tell(SeatChanged(seat.name))
