"""A room that the configuration did not have when the session began."""

from __future__ import annotations

from daemon.control.wire import DeliveryOutcome
from daemon.rooms.delivery import Delivery
from daemon.rooms.destination import DeliveryFailed


class GoneRoom:
    """Takes nothing, so that what is lost is logged and counted (K33)."""

    async def deliver(self, delivery: Delivery) -> DeliveryOutcome | None:
        """See `Destination`."""
        raise DeliveryFailed("the configuration had no such room when the session began")

    async def close(self) -> None:
        """See `Destination`."""
