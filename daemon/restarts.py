"""When a seat whose session failed plays again, and when it has failed for good.

The n-th death in a row is followed by a wait of 1, 2, 4, 8 … 60 s. A session that ran for ten
minutes starts the row anew. More than 5 deaths in 10 minutes, or more than 12 in 24 hours, fail
the seat until a person resets it, however long each session lived.

Where no session could even be claimed because of what passes by itself, nothing has died: the seat
waits as after a death, and none is counted. So it is with a full disk, with a lease that has yet to
end, and with a world that does not confirm the leave of the session before.
"""

from __future__ import annotations

from dataclasses import dataclass

from daemon.control.wire import Code

LONGEST_DELAY = 60.0
CLEAN_SECONDS = 600.0
LIMITS = ((5, 600.0), (12, 86_400.0))
"""Deaths that are borne, and the seconds in which they are counted."""


@dataclass(frozen=True, slots=True)
class Deaths:
    """A seat's deaths as they count; times are of one monotonic clock, oldest first."""

    times: tuple[float, ...] = ()
    in_row: int = 0

    def recent(self, now: float) -> int:
        """Deaths that still count against a limit."""
        return sum(now - time < LIMITS[-1][1] for time in self.times)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What follows a death: a wait, or, with `delay` None, the seat's failure and its reason."""

    deaths: Deaths
    delay: float | None
    reason: str = ""


PASSING: frozenset[Code] = frozenset(("state_unwritable", "lease_held", "unsettled"))
"""Refusals of a restart that are no deaths."""


def wait_after(in_row: int) -> float:
    """Seconds to wait after the n-th failure in a row, n from 1."""
    doublings = min(in_row - 1, 10)  # no power of many days' failures
    return min(2.0**doublings, LONGEST_DELAY)


def after_death(deaths: Deaths, now: float, ran_for: float) -> Verdict:
    """Count one more death, of a session that was `running` for `ran_for` seconds (0: never)."""
    horizon = LIMITS[-1][1]
    times = (*(time for time in deaths.times if now - time < horizon), now)
    in_row = 1 if ran_for >= CLEAN_SECONDS else deaths.in_row + 1
    counted = Deaths(times, in_row)
    for borne, window in LIMITS:
        within = sum(now - time < window for time in times)
        if within > borne:
            return Verdict(counted, None, f"{within} deaths in {_span(window)}")
    return Verdict(counted, wait_after(in_row))


def _span(seconds: float) -> str:
    return f"{seconds / 3600:.0f} hours" if seconds > 3600 else f"{seconds / 60:.0f} minutes"
