"""Where a room is: what every kind of room can do."""

from __future__ import annotations

from typing import Protocol

from daemon.control.wire import DeliveryOutcome
from daemon.rooms.delivery import Delivery


class DeliveryFailed(Exception):
    """A delivery did not reach its room; says why, never with a URL or a secret in it."""


class Destination(Protocol):
    """One for each room."""

    async def deliver(self, delivery: Delivery) -> DeliveryOutcome | None:
        """Hand it over, within a bounded time; None: only the room can say what became of it.

        Raises DeliveryFailed.
        """
        ...

    async def close(self) -> None:
        """Let go of what it holds, without waiting for anybody."""
        ...
