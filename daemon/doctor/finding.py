"""What a check of the doctor found, and what it may look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from config.settings import Settings
from daemon.control.wire import StatusResult

Level: TypeAlias = Literal["ok", "warn", "fail"]


class Finding(msgspec.Struct, frozen=True):
    """One line; `remedy` is the next step where there is one. Never holds a secret."""

    level: Level
    about: str
    text: str
    remedy: str = ""


@dataclass(frozen=True, kw_only=True)
class Patient:
    """What is examined."""

    configuration: Path
    settings: Settings
    """What the file says."""
    environ: Mapping[str, str]
    sockets: Sequence[Path]
    """Where the daemon may listen."""
    state_directory: Path
    daemon: StatusResult | None = None
    """What the running daemon says of itself; None: none answers."""


def ok(about: str, text: str) -> Finding:
    """All is well."""
    return Finding("ok", about, text)


def warn(about: str, text: str, remedy: str) -> Finding:
    """It works, and may surprise."""
    return Finding("warn", about, text, remedy)


def fail(about: str, text: str, remedy: str) -> Finding:
    """It does not work."""
    return Finding("fail", about, text, remedy)
