"""The deliveries whose rooms may still say what became of them: a bounded memory.

It is kept apart by seats, so that a session that floods its room pushes out nothing of others.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from daemon.rooms.delivery import Delivery
from daemon.rooms.receipts import Receipt

REMEMBERED = 256
"""Deliveries of one seat."""


@dataclass(eq=False, slots=True)
class Entry:
    """A delivery and what its room said of it."""

    delivery: Delivery
    word: Receipt | None = None


@dataclass(eq=False, slots=True)
class Ledger:
    """Newest deliveries of every seat. A daemon that starts again remembers none."""

    _seats: dict[str, dict[tuple[str, str], Entry]] = field(
        default_factory=dict[str, dict[tuple[str, str], Entry]]
    )

    def enter(self, delivery: Delivery) -> None:
        """Remember a delivery, and forget the seat's oldest past `REMEMBERED`."""
        entries = self._seats.setdefault(delivery.seat, {})
        entries.setdefault((delivery.room, delivery.delivery_id), Entry(delivery))
        if len(entries) > REMEMBERED:
            del entries[next(iter(entries))]

    def find(self, room: str, delivery_id: str) -> Entry | None:
        """A delivery to this room."""
        key = (room, delivery_id)
        return next((entries[key] for entries in self._seats.values() if key in entries), None)
