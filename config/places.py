"""Where the daemon keeps its state and listens, when the configuration does not say."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from config.settings import Settings


def state_directory(settings: Settings, environ: Mapping[str, str]) -> Path:
    """The configured folder, else systemd's `$STATE_DIRECTORY`, else the user's own state folder.

    For root the last is `/var/lib/playd`, for others `$XDG_STATE_HOME/playd`, by default
    `~/.local/state/playd`.
    """
    if settings.state_directory is not None:
        return Path(settings.state_directory)
    if given := environ.get("STATE_DIRECTORY"):
        return Path(given.split(":")[0])
    if os.geteuid() == 0:
        return Path("/var/lib/playd")
    if given := environ.get("XDG_STATE_HOME"):
        return Path(given) / "playd"
    return Path.home() / ".local" / "state" / "playd"


def control_socket(settings: Settings, environ: Mapping[str, str]) -> Path:
    """The configured path, else `control.sock` in `$RUNTIME_DIRECTORY`, `$XDG_RUNTIME_DIR/playd`
    or the state directory, whichever of them there is first."""
    if settings.control.socket is not None:
        return Path(settings.control.socket)
    if given := environ.get("RUNTIME_DIRECTORY"):
        return Path(given.split(":")[0]) / "control.sock"
    if given := environ.get("XDG_RUNTIME_DIR"):
        return Path(given) / "playd" / "control.sock"
    return state_directory(settings, environ) / "control.sock"
