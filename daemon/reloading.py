"""The configuration while the daemon runs: read again, and what that changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import trio

from config.finding import ConfigError
from config.loading import load_settings
from config.settings import Settings
from daemon.control.wire import ReloadResult
from daemon.dollar_caps import uncountable_caps
from daemon.happenings import Reloaded, Reloading, SeatChanged
from daemon.logs import log_of
from daemon.means import Means
from daemon.refusal import Refusal
from daemon.register import Register

_TAKEN_AT_START: dict[str, Callable[[Settings], object]] = {
    "state_directory": lambda settings: settings.state_directory,
    "control.socket": lambda settings: settings.control.socket,
    "metrics.bind": lambda settings: settings.metrics.bind,
    "log.level": lambda settings: settings.log.level,
}
_log = log_of(__name__)


class Configuration:
    """The file that the daemon was started with, if there is one."""

    def __init__(self, means: Means, register: Register, path: Path | None) -> None:
        self.path = path
        self.error: str | None = None
        """Why it was not taken when it was last read; None: it is in force."""
        self._means = means
        self._register = register
        self._started = means.settings
        self._reading = trio.Lock()
        """What was read first is taken first: an older file never replaces a newer one."""

    async def reload(self) -> ReloadResult:
        """Read it again; a bad file keeps what was in force. Raises Refusal that says why."""
        async with self._reading:
            return await self._reload()

    async def _reload(self) -> ReloadResult:
        if self.path is None:
            raise Refusal("configuration", "playd was started without a configuration file")
        tell = self._means.happenings.tell
        tell(Reloading())
        try:
            new, warnings = await trio.to_thread.run_sync(_load, self.path)
        except ConfigError as error:
            self.error = str(error)
            tell(Reloaded(taken=False))
            why = "; ".join(map(str, error.findings))
            _log.error("keeps its configuration: %s", why, event="reload_failed")
            raise Refusal("configuration", f"{self.path} was not taken", str(error)) from error
        old, self._means.settings = self._means.settings, new
        self.error = None
        self._register.add_configured()
        tell(Reloaded(taken=True))
        done = reloaded(self.path, started=self._started, old=old, new=new, warnings=warnings)
        for name in (*done.added, *done.changed):
            tell(SeatChanged(name))
        _log.info("took the configuration in %s", self.path, event="reload")
        if done.needs_restart:
            waiting = ", ".join(done.needs_restart)
            _log.warning("holds after the next start alone: %s", waiting, event="reload")
        for warning in warnings:
            _log.warning("%s", warning, event="reload")
        return done


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


def _load(path: Path) -> tuple[Settings, tuple[str, ...]]:
    """The configuration in a file, and what will surprise in it. Raises ConfigError."""
    settings = load_settings(path)
    return settings, tuple(map(str, uncountable_caps(settings)))
