"""A room that is a line in the daemon's log."""

from __future__ import annotations

from daemon.control.wire import DeliveryOutcome
from daemon.logs import log_of
from daemon.rooms.delivery import Delivery


class LogRoom:
    """Plays everything by logging it."""

    async def deliver(self, delivery: Delivery) -> DeliveryOutcome | None:
        """See `Destination`."""
        what = delivery.kind if delivery.notable is None else f"notable {delivery.notable}"
        log_of(__name__, seat=delivery.seat, session=delivery.session_id).info(
            "room %s: %s: %s", delivery.room, what, delivery.text, event="delivery"
        )
        return "played"

    async def close(self) -> None:
        """See `Destination`."""
