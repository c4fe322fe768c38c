"""What happens in the supervisor, as one stream of typed values for whoever counts or shows it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from daemon.control.wire import DeliveryOutcome
from daemon.records import SessionRecord
from kernel.session.wire import FromSession


@dataclass(frozen=True, slots=True)
class SessionChanged:
    """A session came into another state; the database has it, unless the disk takes nothing."""

    session: SessionRecord


@dataclass(frozen=True, slots=True)
class SessionSaid:
    """A message of a session, as it came."""

    session: SessionRecord
    message: FromSession


@dataclass(frozen=True, slots=True)
class ProtocolFault:
    """A line that the session protocol does not allow."""

    session: SessionRecord
    reason: str


@dataclass(frozen=True, slots=True)
class RestartPlanned:
    """A seat plays again after `delay` seconds."""

    seat: str
    delay: float
    reason: str
    died: bool = True
    """Whether a session died; else it waits for what passes by itself."""


@dataclass(frozen=True, slots=True)
class SeatChanged:
    """Something about a seat itself changed.

    It failed, was reset, paused, settled or configured anew, or is free.
    """

    seat: str


@dataclass(frozen=True, slots=True)
class StopTook:
    """From the request of a stop to the end of everything of the session."""

    session: SessionRecord
    seconds: float


@dataclass(frozen=True, slots=True)
class LeaseRenewed:
    """A lease was renewed."""

    seat: str


@dataclass(frozen=True, slots=True)
class LeaseLost:
    """A lease could not be renewed in time, or another holds it."""

    seat: str


@dataclass(frozen=True, slots=True)
class Reloading:
    """The configuration is being read again."""


@dataclass(frozen=True, slots=True)
class Reloaded:
    """It was read, and is in force if it was good."""

    taken: bool


@dataclass(frozen=True, slots=True)
class Draining:
    """Nothing is joined any more, every session ends by `seconds` from now, then the daemon."""

    seconds: float


@dataclass(frozen=True, slots=True)
class DeliverySettled:
    """What became of one delivery to a room: by its own word, or because it could not be sent."""

    seat: str
    room: str
    outcome: DeliveryOutcome
    reason: str


@dataclass(frozen=True, slots=True)
class ReceiptsLost:
    """The disk did not take this many receipts."""

    count: int


Happening: TypeAlias = (
    SessionChanged
    | SessionSaid
    | ProtocolFault
    | RestartPlanned
    | SeatChanged
    | StopTook
    | LeaseRenewed
    | LeaseLost
    | Reloading
    | Reloaded
    | Draining
    | DeliverySettled
    | ReceiptsLost
)
Observer: TypeAlias = Callable[[Happening], None]
"""Is called in order, returns at once and does not raise."""


class Happenings:
    """Passes every happening to every observer."""

    def __init__(self) -> None:
        self._observers: list[Observer] = []

    def tell(self, happening: Happening) -> None:
        """To all observers, in the order in which they came."""
        for observer in tuple(self._observers):
            observer(happening)

    def observe(self, observer: Observer) -> None:
        """Tell this observer too, for as long as this stream lasts."""
        self._observers.append(observer)

    @contextmanager
    def observed_by(self, observer: Observer) -> Generator[None]:
        """Tell this observer too, for as long as the block lasts."""
        self._observers.append(observer)
        try:
            yield
        finally:
            self._observers.remove(observer)
