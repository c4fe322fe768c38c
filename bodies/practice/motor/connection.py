"""The connection: the phases of one generation, from connecting to a confirmed end.

    connecting ──> active <──> pausing/paused
        any of these ──leave──> stopping ──> disconnected
        the line breaks ──> disconnected, or uncertain when nobody saw the end of it

Pure: every function gives the connection that follows.
"""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from bodies.practice.motor.hours import TICKS_PER_SECOND
from bodies.practice.motor.wire import (
    Confirmed,
    NotRequested,
    Pending,
    Phase,
    SessionRef,
    Termination,
    UncertainCode,
    UncertainTermination,
)

_TAKES: dict[Phase, int] = {
    "connecting": TICKS_PER_SECOND,
    "pausing": TICKS_PER_SECOND // 2,
    "stopping": TICKS_PER_SECOND,
}
"""Ticks after which a phase passes by itself."""
_THEN: dict[Phase, Phase] = {
    "connecting": "active",
    "pausing": "paused",
    "stopping": "disconnected",
}
LIVE: frozenset[Phase] = frozenset(("connecting", "active", "pausing", "paused", "stopping"))
"""Phases in which the server may still see the player."""
PRESENT: frozenset[Phase] = frozenset(("active", "pausing", "paused", "stopping"))
"""Phases in which the bot stands in the world."""


class Connection(Struct, frozen=True):
    """`until` is the tick at which the phase passes; `asked` the tick at which its end was."""

    session: SessionRef
    phase: Phase
    until: int | None
    asked: int | None = None
    ended: int | None = None
    uncertain: UncertainCode | None = None
    stuck: UncertainCode | Literal["hung"] | None = None
    """How a leave will go wrong, on request."""


def opened(session: SessionRef, tick: int) -> Connection:
    return Connection(session, "connecting", tick + _TAKES["connecting"])


def passed(connection: Connection, tick: int) -> Connection:
    """The same phase, or the next when its time is over."""
    if connection.until is None or tick < connection.until:
        return connection
    if connection.phase == "stopping" and connection.stuck not in (None, "hung"):
        return broken(connection, tick, connection.stuck)
    following = _THEN[connection.phase]
    ended = tick if following == "disconnected" else None
    return replace(connection, phase=following, until=None, ended=ended)


def pausing(connection: Connection, tick: int) -> Connection:
    """Raises KeyError where nothing can be paused."""
    return _asked(connection, tick, {"active": "pausing", "pausing": "pausing", "paused": "paused"})


def resumed(connection: Connection, tick: int) -> Connection:
    """Raises KeyError where nothing can be resumed."""
    return _asked(connection, tick, {"pausing": "active", "paused": "active", "active": "active"})


def leaving(connection: Connection, tick: int) -> Connection:
    """Asking again changes nothing; an uncertain end is tried once more."""
    if connection.phase in ("stopping", "disconnected"):
        return connection
    until = None if connection.stuck == "hung" else tick + _TAKES["stopping"]
    return replace(connection, phase="stopping", until=until, asked=tick, uncertain=None)


def broken(connection: Connection, tick: int, uncertain: UncertainCode | None) -> Connection:
    """The line is gone: with its end seen, or with this uncertainty."""
    asked = tick if connection.asked is None else connection.asked
    if uncertain is None:
        return replace(connection, phase="disconnected", until=None, ended=tick)
    return replace(connection, phase="uncertain", until=None, asked=asked, uncertain=uncertain)


def termination(connection: Connection, at: Callable[[int], str]) -> Termination:
    """How its end stands. `at` writes a tick as an instant."""
    asked = at(connection.asked or 0)
    match connection.phase:
        case "disconnected":
            return Confirmed(at(connection.ended or 0), "connection_end")
        case "uncertain":
            return UncertainTermination(asked, connection.uncertain or "connection_lost")
        case "stopping":
            return Pending(asked)
        case _:
            return NotRequested()


def _asked(connection: Connection, tick: int, following: dict[Phase, Phase]) -> Connection:
    phase = following[connection.phase]
    if phase == connection.phase:
        return connection
    takes = _TAKES.get(phase)
    return replace(connection, phase=phase, until=None if takes is None else tick + takes)
