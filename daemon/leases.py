"""Lease arithmetic: who may drive a seat, and until when.

A lease is held for `ttl` seconds and renewed at a third of that. The session stops acting 5 s
before the end; everything of it is dead 3 s before the end. Its end is a reading of
CLOCK_BOOTTIME, because a suspended machine's time counts, and means nothing after another boot.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

RENEW_PART = 1 / 3
KILL_MARGIN = 3.0


@dataclass(frozen=True, slots=True)
class Lease:
    """One driver generation's hold on a seat."""

    seat: str
    generation: int
    session_id: str
    ttl: float
    boot_id: str
    expires: float
    """Seconds of CLOCK_BOOTTIME."""

    def may_act_until(self, boot_id: str, now: float) -> float | None:
        """The latest end of a hold whose renewals are unknown, since they are not stored.

        None: nobody acts under it any more, for the machine has booted since.
        """
        return now + self.ttl if boot_id == self.boot_id else None

    def renewed(self, now: float) -> Lease:
        """The same hold, a whole `ttl` from now."""
        return replace(self, expires=now + self.ttl)

    def remaining(self, now: float) -> float:
        """Seconds until the end, not below 0."""
        return max(0.0, self.expires - now)

    def due(self, now: float, *, term_grace: float) -> Literal["keep", "renew", "lost"]:
        """What its keeper does now.

        `lost`: too late to renew safely, since ending the session with a grace of `term_grace`
        must be over `KILL_MARGIN` before the end.
        """
        if now >= self.expires - KILL_MARGIN - term_grace:
            return "lost"
        if now >= self.expires - self.ttl * (1 - RENEW_PART):
            return "renew"
        return "keep"
