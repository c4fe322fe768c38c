"""How long to wait before the next attempt to reach a world that was lost. Pure."""

from __future__ import annotations

GIVE_UP_S = 60.0
"""Without a session for this long, the world counts as ended: unreachable."""

STEADY_S = 10.0
"""A connection that lived this long starts the waits afresh; a shorter one goes on with them."""

_WAITS_S = (0.5, 1.0, 2.0, 4.0, 8.0)
_JITTER = 0.2


def wait_before(attempt: int, chance: float) -> float:
    """Seconds before this attempt (0 is the first). `chance` in [0, 1) places it within ±20 %."""
    wait = _WAITS_S[min(attempt, len(_WAITS_S) - 1)]
    return wait * (1 - _JITTER + 2 * _JITTER * chance)
