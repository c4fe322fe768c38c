"""Wall time as text."""

from __future__ import annotations

import time
from functools import lru_cache


def instant(seconds: float) -> str:
    """Seconds since 1970 as UTC with milliseconds and `Z`: `2026-08-19T04:15:15.707Z`."""
    milliseconds = int(seconds * 1000 + 0.5)
    return _second(milliseconds // 1000) + _MILLISECONDS[milliseconds % 1000]


def utc_now() -> str:
    """The wall clock now, for people and journals; never for deadlines."""
    return instant(time.time())


_MILLISECONDS = tuple(f".{milliseconds:03}Z" for milliseconds in range(1000))


@lru_cache(maxsize=2)
def _second(whole: int) -> str:
    # A turn writes many instants within one second, and this is the dear part of each.
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole))
