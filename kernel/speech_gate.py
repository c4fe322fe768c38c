"""The rate gate between unprompted remarks (K25); it knows nothing of their content."""

from __future__ import annotations

from dataclasses import dataclass

TURNS_BETWEEN_REMARKS = 4


@dataclass(slots=True)
class SpeechGate:
    """Counts turns since the player last spoke unprompted. Replies pass it by."""

    last_turn: int | None = None

    def open_at(self, turn: int) -> bool:
        return self.last_turn is None or turn - self.last_turn >= TURNS_BETWEEN_REMARKS

    def spoke(self, turn: int) -> None:
        self.last_turn = turn

    def turns_since(self, turn: int) -> int | None:
        """Turns since the last remark; None when there was none."""
        return None if self.last_turn is None else turn - self.last_turn
