"""Hours: the motor's unit of time and the day that is made of it."""

TICKS_PER_SECOND = 4
DAY = 1200 * TICKS_PER_SECOND
"""A day takes twenty minutes, as players know it."""
_DUSK = 650 * TICKS_PER_SECOND
_DAWN = 1150 * TICKS_PER_SECOND


def is_night(tick: int) -> bool:
    return _DUSK <= tick % DAY < _DAWN
