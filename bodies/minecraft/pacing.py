"""How long to rest before the next turn, and when nobody was near for too long (K23)."""

from __future__ import annotations

from dataclasses import dataclass, replace

BETWEEN_TURNS_S = 2.0
ALONE_S = 15.0
LONGEST_ALONE_S = 60.0
LONGEST_IN_COMPANY_S = 30.0
IDLE_AFTER_S = 900.0


def pace(*, near: bool, unchanged: int) -> float:
    """Seconds to rest after `unchanged` turns in a row that changed nothing.

    In company 2 s, alone 15 s, doubled for each such turn up to 30 s and 60 s.
    """
    first, longest = (BETWEEN_TURNS_S, LONGEST_IN_COMPANY_S) if near else (ALONE_S, LONGEST_ALONE_S)
    return min(first * 2.0 ** min(unchanged, 10), longest)


@dataclass(frozen=True, slots=True)
class Company:
    """Whether somebody is near, and since when nobody is. Times are monotonic seconds."""

    near: bool
    last: float
    """When somebody was last near, or the watch began."""

    def seen(self, near: bool, now: float) -> Company:
        """After a look around."""
        return Company(True, now) if near else replace(self, near=False)

    def idle(self, now: float) -> bool:
        """Whether nobody was near for 900 s."""
        return not self.near and now - self.last >= IDLE_AFTER_S
