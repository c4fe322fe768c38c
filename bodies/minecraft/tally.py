"""What the actions of a run came to: the progress that its summary tells."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace


class Tally(Struct, frozen=True):
    """Counts of actions by their evidence, and of turns spent waiting."""

    verified: int = 0
    refuted: int = 0
    unknown: int = 0
    waited: int = 0

    def then(self, what: Literal["verified", "refuted", "unknown"] | None) -> Tally:
        """After one more action with this evidence; None for a turn of waiting."""
        name = what or "waited"
        return replace(self, **{name: getattr(self, name) + 1})
