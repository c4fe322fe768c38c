"""The chronicle: what the world itself saw, entry by entry, as JSON lines.

From it anybody can prove who drove a seat when, and that an action ran once: a driver is told apart
by a digest of its token, and every act stands with its key, outcome and whether it was a replay.
"""

from collections import deque
from itertools import islice
from pathlib import Path
from typing import Literal

import msgspec

from bodies.practice.world.actions import Action, Refusal

_KEPT = 20_000


class _Entry(msgspec.Struct, frozen=True, rename="camel", tag_field="kind", kw_only=True):
    at: str
    frame: int
    player_id: str
    session_id: str
    driver: str


class Joined(_Entry, frozen=True, tag="join"):
    """`took_over` is the session that this one pushed out of the seat."""

    display_name: str
    harness: str
    game_id: str
    body_generation: int
    took_over: str | None


class Acted(_Entry, frozen=True, tag="act"):
    """`frame` is the frame at which the action settled."""

    idempotency_key: str
    action: Action
    outcome: Literal["ran", "rejected", "cut"]
    replayed: bool
    body_generation: int
    refusal: Refusal | None = None


class EndedEntry(_Entry, frozen=True, tag="ended"):
    because: Literal["left", "taken_over", "ended", "idle", "world_stopped"]


class Misbehaved(_Entry, frozen=True, tag="misbehaved"):
    operation: str
    misdeed: str


Entry = Joined | Acted | EndedEntry | Misbehaved


class Chronicle:
    """Keeps the last 20,000 entries and appends every one to the file, if there is one."""

    def __init__(self, file: Path | None) -> None:
        self._entries: deque[Entry] = deque(maxlen=_KEPT)
        self._forgotten = 0
        self._file = None if file is None else file.open("ab", buffering=0)

    def add(self, entry: Entry) -> None:
        """One entry, one write. Raises OSError."""
        if len(self._entries) == _KEPT:
            self._forgotten += 1
        self._entries.append(entry)
        if self._file is not None:
            self._file.write(msgspec.json.encode(entry) + b"\n")

    def after(self, count: int) -> tuple[Entry, ...]:
        """The entries after the first `count`, as far as they are kept."""
        return tuple(islice(self._entries, max(0, count - self._forgotten), None))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
