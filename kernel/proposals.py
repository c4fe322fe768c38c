"""How often a proposal may be replaced within one numbered turn (K6, K8)."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

MESSAGE_REPLACEMENTS = 2


class Proposals(Struct, frozen=True):
    """The replacements of one turn so far; messages and changes of state count apart."""

    fresh_after_change: int
    """How many fresh proposals a change of state may cause in this game."""
    by_message: int = 0
    by_change: int = 0

    @property
    def message_may_replace(self) -> bool:
        return self.by_message < MESSAGE_REPLACEMENTS

    @property
    def change_may_replace(self) -> bool:
        return self.by_change < self.fresh_after_change

    @property
    def preemptions(self) -> int:
        return self.by_message + self.by_change

    def replaced_by_message(self) -> Proposals:
        """Count one. Raises ValueError when none is left."""
        if not self.message_may_replace:
            raise ValueError("a message may replace no further proposal in this turn")
        return replace(self, by_message=self.by_message + 1)

    def replaced_by_change(self) -> Proposals:
        """Count one. Raises ValueError when none is left."""
        if not self.change_may_replace:
            raise ValueError("a change may replace no further proposal in this turn")
        return replace(self, by_change=self.by_change + 1)
