"""Waits after failures: of the mind (K11) and of actions (K14)."""

from __future__ import annotations

RETRY_AFTER_CAP = 60.0
_MIND_WAITS = (1.0, 2.0, 4.0, 8.0)
_ACTION_CAP = 30.0


def wait_after_failure(failures_in_row: int, retry_after: float | None = None) -> float:
    """Seconds to wait after the n-th failed call or invalid decision in a row (K11).

    A provider's `Retry-After` lengthens the wait up to 60 s and never shortens it.
    """
    if failures_in_row <= 0:
        return 0.0
    own = _MIND_WAITS[min(failures_in_row, len(_MIND_WAITS)) - 1]
    return max(own, min(retry_after or 0.0, RETRY_AFTER_CAP))


def wait_after_failed_action(failures_in_row: int) -> float:
    """Seconds to wait after the n-th failed action in a row: 1, 2, 4 … 30 (K14)."""
    if failures_in_row <= 0:
        return 0.0
    return min(2.0 ** min(failures_in_row - 1, 10), _ACTION_CAP)
