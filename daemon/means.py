"""What the supervisor's parts share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from config.settings import Settings
from daemon.cgroups import Cgroups
from daemon.children import Children
from daemon.delays import Delays
from daemon.happenings import Happenings
from daemon.starts import Starts
from daemon.state import State


@dataclass(slots=True)
class Means:
    """One for each supervisor."""

    settings: Settings
    """As last loaded."""
    state_directory: Path
    command: tuple[str, ...]
    """Starts a session process."""
    state: State
    children: Children
    happenings: Happenings
    delays: Delays
    starts: Starts
    cgroups: Cgroups | None
    """None: no tree of control groups was delegated."""
    boot_id: str
    boottime: Callable[[], float]
    """Reads CLOCK_BOOTTIME."""
