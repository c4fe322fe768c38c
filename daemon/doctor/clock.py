"""Checks the clock, which people and providers' certificates depend on, though no deadline does."""

from __future__ import annotations

import ctypes
from datetime import UTC, datetime
from pathlib import Path

from daemon.doctor.finding import Finding, Patient, fail, ok, warn

_EARLIEST = datetime(2025, 1, 1, tzinfo=UTC).timestamp()
"""Before this program was written."""
_TOLERATED = 300.0
_TIMEX_BYTES = 512
"""More than the kernel's struct timex has; all zero, it asks and changes nothing."""
_TIME_ERROR = 5


def check_clock(patient: Patient, now: float) -> list[Finding]:
    """Whether wall time can be trusted; `now` is what it says."""
    return [judge_clock(now, _newest(patient.state_directory), _synchronized())]


def judge_clock(now: float, newest: float, synchronized: bool | None) -> Finding:
    """`newest` is when the state was last written; `synchronized` None: the kernel does not say."""
    told = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    remedy = "set the clock: timedatectl set-ntp true"
    if now < _EARLIEST:
        return fail("clock", f"it says {told}, which is long past", remedy)
    if newest > now + _TOLERATED:
        ahead = (newest - now) / 60
        return fail("clock", f"it says {told}, {ahead:.0f} min before the newest state", remedy)
    if synchronized is False:
        return warn("clock", f"it says {told} and is not synchronized", remedy)
    return ok("clock", f"it says {told}")


def _newest(folder: Path) -> float:
    times = [0.0]
    for path in (folder / "state.db", folder / "events.jsonl"):
        try:
            times.append(path.stat().st_mtime)
        except OSError:
            continue  # not there yet, or not ours to see
    return max(times)


def _synchronized() -> bool | None:
    asked = ctypes.create_string_buffer(_TIMEX_BYTES)
    try:
        state = ctypes.CDLL(None).adjtimex(asked)
    except (AttributeError, OSError):
        return None
    return None if state < 0 else state != _TIME_ERROR
