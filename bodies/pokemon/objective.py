"""The objective slot: set, kept, warned about, retired, and empty until the loop is left (K20)."""

from __future__ import annotations

from collections.abc import Hashable

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

STALE_TURNS = 12


class Objective(Struct, frozen=True):
    """What the player is after. `turns`: how many decisions in a row kept it."""

    text: str | None = None
    turns: int = 0
    warned: bool = False
    loop: frozenset[Hashable] = frozenset()
    """The states that recurred when the last objective was retired; empty: not recovering."""
    retired: str | None = None
    """What the latest turn retired."""
    retirements: int = 0

    def recovering(self, mark: Hashable) -> bool:
        """Whether the slot stays empty in this state."""
        return mark in self.loop

    def stale(self, *, recurring: bool, placed: bool) -> bool:
        """Whether a decision that keeps it now is warned about or retires it."""
        return self.text is not None and self.turns >= STALE_TURNS and recurring and placed

    def decided(
        self,
        wanted: str | UnsetType | None,
        mark: Hashable,
        window: tuple[Hashable, ...],
        *,
        recurring: bool,
        placed: bool,
    ) -> Objective:
        """The slot after a decision in the state `mark`; `placed`: with a known position.

        `wanted`: a text sets it, None clears it, UNSET keeps it.
        """
        if self.recovering(mark):
            return replace(self, text=None, turns=0, retired=None)
        loop: frozenset[Hashable] = frozenset()
        text = self.text if wanted is UNSET else wanted
        if text is None or text != self.text:
            turns = 0 if text is None else 1
            return replace(self, text=text, turns=turns, warned=False, loop=loop, retired=None)
        if not self.stale(recurring=recurring, placed=placed):
            warned = self.warned and not placed
        elif not self.warned:
            warned = True
        else:
            return Objective(loop=frozenset(window), retired=text, retirements=self.retirements + 1)
        return replace(self, turns=self.turns + 1, warned=warned, loop=loop, retired=None)

    def passed(self) -> Objective:
        """The slot after a turn without a decision."""
        return replace(self, retired=None) if self.retired else self
