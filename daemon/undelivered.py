"""Deliveries that did not reach their rooms, as `status` names them (K13)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from daemon.happenings import DeliverySettled, Happening, ReceiptsLost
from daemon.rooms.control_room import NOBODY_FOLLOWS


@dataclass(slots=True)
class Undelivered:
    """Counts since the daemon began. Rooms are configured, so there are few."""

    receipts_lost: int = 0
    _counts: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    _latest: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])

    def count(self, happening: Happening) -> None:
        """Take one happening in; only failed and refused deliveries matter here.

        A control room that nobody follows is as it should be: metrics and receipts have it.
        """
        match happening:
            case DeliverySettled(reason=reason) if reason == NOBODY_FOLLOWS:
                pass
            case DeliverySettled(room=room, outcome="failed" | "refused" as outcome, reason=reason):
                self._counts[room, outcome] += 1
                self._latest[room, outcome] = reason
            case ReceiptsLost(count):
                self.receipts_lost += count
            case _:
                pass

    def problems(self) -> tuple[str, ...]:
        """A line for each room and outcome, with the latest reason."""
        lines = [
            f"{count} deliveries to room {room} {outcome}; the last: {self._latest[room, outcome]}"
            for (room, outcome), count in sorted(self._counts.items())
        ]
        if self.receipts_lost:
            lines.append(f"{self.receipts_lost} delivery receipts were lost: the disk took none")
        return tuple(lines)
