"""Whether something that was measured again and again stays as it is, or grows. Pure.

The first quarter is warming up. A lasting growth shows between the medians of the second quarter
and of the last one, which a few outliers do not move.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence


def settled(values: Sequence[float]) -> float:
    """The median of the second quarter."""
    return statistics.median(_quarter(values, 1))


def growth(values: Sequence[float]) -> float:
    """By how much the median of the last quarter is above that of the second."""
    return statistics.median(_quarter(values, 3)) - settled(values)


def _quarter(values: Sequence[float], number: int) -> Sequence[float]:
    if len(values) < 4:
        raise ValueError(f"{len(values)} values have no quarters")
    return values[len(values) * number // 4 : len(values) * (number + 1) // 4]
