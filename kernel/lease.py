"""How long this driver generation may act (the session's side of a lease)."""

from __future__ import annotations

import time

MARGIN_SECONDS = 5.0
"""A session stops acting this long before its lease ends."""


def boottime() -> float:
    """Seconds since boot, suspended time included: a suspended machine's lease runs on."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class HeldLease:
    """Renewed by the supervisor's word alone; asked before every request."""

    def __init__(self, valid_for: float, now: float) -> None:
        self._until = now + valid_for

    def renew(self, valid_for: float, now: float) -> None:
        """The supervisor says that the lease holds for `valid_for` seconds from `now`."""
        self._until = now + valid_for

    def left(self, now: float) -> float:
        """Seconds for which requests may still be sent; 0 or less: none."""
        return self._until - MARGIN_SECONDS - now
