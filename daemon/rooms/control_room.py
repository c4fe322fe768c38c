"""A room whose members follow it on the control socket."""

from __future__ import annotations

from collections.abc import Collection

from daemon.control.wire import DeliveryOutcome
from daemon.rooms.delivery import Delivery
from daemon.rooms.destination import DeliveryFailed
from daemon.rooms.room import Follower

NOBODY_FOLLOWS = "nobody follows it on the control socket"


class ControlRoom:
    """Is there as long as somebody follows; `followers` may change at any time."""

    def __init__(self, followers: Collection[Follower]) -> None:
        self._followers = followers

    async def deliver(self, delivery: Delivery) -> DeliveryOutcome | None:
        """See `Destination`; the followers were shown it, and say themselves what they made of it.

        One that reads too slowly loses it and is told how many it lost.
        """
        if not self._followers:
            raise DeliveryFailed(NOBODY_FOLLOWS)
        return None

    async def close(self) -> None:
        """See `Destination`."""
