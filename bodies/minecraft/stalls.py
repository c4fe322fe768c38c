"""Turns that change nothing (K22): facts equal, chat aside, and the action not verified."""

from __future__ import annotations

from dataclasses import dataclass, replace

STUCK_AT = 6


@dataclass(frozen=True, slots=True)
class Stalls:
    """Counts over the turns in which the model decided something, waiting included."""

    unchanged: int = 0
    """Turns in a row whose facts stayed equal (K23)."""
    stalled: int = 0
    """Those in a row whose action was not verified either."""
    longest: int = 0
    """The longest run of stalled turns."""

    def then(self, *, changed: bool, verified: bool) -> Stalls:
        """After one more decided turn."""
        unchanged = 0 if changed else self.unchanged + 1
        stalled = 0 if changed or verified else self.stalled + 1
        return replace(
            self, unchanged=unchanged, stalled=stalled, longest=max(self.longest, stalled)
        )

    @property
    def stuck(self) -> bool:
        """Whether this turn is the one that makes it six in a row."""
        return self.stalled == STUCK_AT
