"""Lists that must fit into one line: pure.

A seat with a very long last turn is shown without it; what still does not fit is left out from the
end, and the answer says that there is more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

from daemon.control import wire

ROOM = wire.LINE_CAP - 8 * 1024
"""Bytes for the items of a list; what is left is for the rest of the answer."""
ITEM_ROOM = 12 * 1024

T = TypeVar("T", bound=msgspec.Struct)


def fit(items: Iterable[T]) -> tuple[tuple[T, ...], bool]:
    """The first items that fit into one line together, and whether some were left out."""
    fitting: list[T] = []
    size = 0
    for item in items:
        size += len(_encoder.encode(item)) + 1
        if size > ROOM:
            return tuple(fitting), True
        fitting.append(item)
    return tuple(fitting), False


def brief_sessions(sessions: Sequence[wire.SessionView]) -> list[wire.SessionView]:
    """The sessions, each within `ITEM_ROOM`."""
    return [_brief(session) for session in sessions]


def brief_seats(seats: Sequence[wire.SeatView]) -> list[wire.SeatView]:
    """The seats, each session within `ITEM_ROOM`."""
    return [
        seat
        if seat.session is None
        else msgspec.structs.replace(seat, session=_brief(seat.session))
        for seat in seats
    ]


_encoder = msgspec.json.Encoder()


def _brief(session: wire.SessionView) -> wire.SessionView:
    if len(_encoder.encode(session)) <= ITEM_ROOM:
        return session
    return msgspec.structs.replace(session, card=None, counters={})
