"""What a reload changed, and what of it waits for the daemon's next start."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from config.settings import Settings
from daemon.control.wire import ReloadResult

_TAKEN_AT_START: dict[str, Callable[[Settings], object]] = {
    "state_directory": lambda settings: settings.state_directory,
    "control.socket": lambda settings: settings.control.socket,
    "metrics.bind": lambda settings: settings.metrics.bind,
    "log.level": lambda settings: settings.log.level,
}


def reloaded(
    path: Path, *, started: Settings, old: Settings, new: Settings, warnings: Iterable[str]
) -> ReloadResult:
    """The answer to a reload of `path`; `started` is what this daemon began with."""
    before, now = old.seats, new.seats
    return ReloadResult(
        configuration=str(path),
        added=tuple(sorted(now.keys() - before.keys())),
        removed=tuple(sorted(before.keys() - now.keys())),
        changed=tuple(sorted(n for n in now.keys() & before.keys() if now[n] != before[n])),
        needs_restart=tuple(
            key for key, value in _TAKEN_AT_START.items() if value(new) != value(started)
        ),
        warnings=tuple(warnings),
        detail="Sessions that run keep what they started with.",
    )
