"""`events.jsonl`: a line for every state that a session came into, for whoever follows the file.

The state database commits first and keeps each line in its outbox until the file has it, so a
line is never lost and, because the file's own end is looked at before anything is added at the
start, never there twice.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from daemon.records import SessionRecord

ROTATE_BYTES = 64 * 1024 * 1024
KEPT = 8
_TAIL_BYTES = 256 * 1024


class EventLine(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One line."""

    id: str
    occurred_at: str
    type: str
    data: dict[str, Any]


def session_event(session: SessionRecord, occurred_at: str) -> EventLine:
    """The line that says which state a session came into."""
    facts: dict[str, object] = {
        "sessionId": session.session_id,
        "sittingId": session.sitting_id,
        "seat": session.seat,
        "generation": session.generation,
        "journeyId": session.journey_id,
        "reason": session.reason or None,
        "outcome": session.outcome,
        "leave": session.leave,
    }
    if session.ended_at is not None:
        facts |= {"turnsTaken": session.turns_taken, "durationMs": session.duration_ms}
    return EventLine(
        id=str(uuid.uuid4()),
        occurred_at=occurred_at,
        type=f"embodiment.session.{session.state}",
        data={name: value for name, value in facts.items() if value is not None},
    )


class EventLog:
    """The file and its rotated predecessors. Blocking; for the thread that owns the state."""

    def __init__(self, path: Path, rotate_bytes: int = ROTATE_BYTES) -> None:
        self._path = path
        self._rotate_bytes = rotate_bytes

    def add_missing(self, lines: Sequence[tuple[str, bytes]]) -> None:
        """Append those lines, given with their ids, that the file's end does not have.

        A last line that a dying process left unfinished is taken back first. Raises OSError.
        """
        if not lines:
            return
        tail = self.mend()
        self.append([line for id, line in lines if id.encode() not in tail])

    def append(self, lines: Sequence[bytes]) -> None:
        """Append whole lines and bring them to the disk. Raises OSError."""
        for line in lines:
            if self._size() + len(line) > self._rotate_bytes:
                self._rotate()
            self._write(line)

    def mend(self) -> bytes:
        """Cut an unfinished last line; gives the end of the newest two files. Raises OSError."""
        ends: list[bytes] = []
        for path in (self._path, self._numbered(1)):
            if not path.exists():
                continue
            with path.open("r+b") as file:
                size = file.seek(0, os.SEEK_END)
                start = max(0, size - _TAIL_BYTES)
                file.seek(start)
                end = file.read()
                whole = end[: end.rfind(b"\n") + 1]
                if path == self._path and len(whole) < len(end):
                    file.truncate(start + len(whole))
                ends.append(whole)
        return b"".join(ends)

    def _write(self, line: bytes) -> None:
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            before = os.fstat(file).st_size
            if os.write(file, line) != len(line):
                os.ftruncate(file, before)
                raise OSError(f"{self._path}: the disk took a part of a line, which was taken back")
            os.fdatasync(file)
        finally:
            os.close(file)

    def _size(self) -> int:
        try:
            return self._path.stat().st_size
        except FileNotFoundError:
            return 0

    def _rotate(self) -> None:
        for number in range(KEPT - 1, 0, -1):
            older = self._numbered(number)
            if older.exists():
                older.replace(self._numbered(number + 1))
        if self._path.exists():
            self._path.replace(self._numbered(1))

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")
