"""The chronicle: what the motor was asked and how each action ended, as JSON lines.

From it anybody can prove that an action ran once, and that nothing was asked after a stop.
"""

from pathlib import Path
from typing import Any

import msgspec

from bodies.practice.motor.wire import ActionStatus


class _Entry(msgspec.Struct, frozen=True, rename="camel", tag_field="kind"):
    at: str


class Called(_Entry, frozen=True, tag="called"):
    """`outcome` is `answered`, or the code with which the motor declined."""

    tool: str
    arguments: dict[str, Any]
    outcome: str


class Settled(_Entry, frozen=True, tag="settled"):
    """What the world holds an action to have come to, whatever the motor answers about it."""

    status: ActionStatus


class Misbehaved(_Entry, frozen=True, tag="misbehaved"):
    tool: str
    misdeed: str


class Chronicle:
    """Appends every entry to the file, if there is one."""

    def __init__(self, file: Path | None) -> None:
        self._file = None if file is None else file.open("ab", buffering=0)

    def add(self, entry: Called | Settled | Misbehaved) -> None:
        """One entry, one write. Raises OSError."""
        if self._file is not None:
            self._file.write(msgspec.json.encode(entry) + b"\n")

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
