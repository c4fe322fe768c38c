"""Events: what a motor tells without being asked, in order, as far back as it remembers."""

from msgspec import Struct
from msgspec.structs import replace

from bodies.practice.motor.wire import Event, Events, EventType

CAPACITY = 256


class Ring(Struct, frozen=True):
    """The last 256 events; sequences begin with 1 and a number is used once."""

    events: tuple[Event, ...] = ()
    latest: int = 0

    @property
    def dropped_before(self) -> int:
        """The first sequence that is, or would be, still kept."""
        return self.latest - len(self.events) + 1


def told(ring: Ring, at: str, kind: EventType, data: dict[str, str | int | bool]) -> Ring:
    event = Event(ring.latest + 1, at, kind, data)
    kept = ring.events[1:] if len(ring.events) == CAPACITY else ring.events
    return replace(ring, events=(*kept, event), latest=event.sequence)


def after(ring: Ring, sequence: int, limit: int) -> Events:
    """The oldest `limit` events with a higher sequence."""
    newer = tuple(event for event in ring.events if event.sequence > sequence)
    return Events(newer[:limit], ring.latest, ring.dropped_before)
