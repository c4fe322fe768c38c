"""Lines out of a stream of bytes, however it was cut into chunks.

A line is at most `cap` bytes with its newline. Of a longer one only the first `cap` bytes are
given, marked as cut, once: as soon as it is known to be too long, so that what is held never
passes the cap. Every byte is searched for a newline once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its newline; `cut`: it was too long and the rest is gone."""

    data: bytes
    cut: bool = False


class LineSplitter:
    """Takes chunks, gives lines. One splitter serves one stream."""

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._pending = bytearray()
        self._skipping = False

    def feed(self, chunk: bytes | bytearray) -> Iterator[Line]:
        """The lines that this chunk completes or makes too long."""
        start = 0
        while (newline := chunk.find(b"\n", start)) >= 0:
            if (line := self._finish(chunk[start:newline])) is not None:
                yield line
            start = newline + 1
        if (line := self._hold(chunk[start:])) is not None:
            yield line

    def rest(self) -> bytes:
        """What the stream's end left without a newline."""
        return bytes(self._pending)

    def _finish(self, part: bytes | bytearray) -> Line | None:
        if self._skipping:
            self._skipping = False
            return None
        line = bytes(self._pending) + part
        self._pending.clear()
        if len(line) >= self._cap:
            return Line(line[: self._cap], cut=True)
        return Line(line)

    def _hold(self, part: bytes | bytearray) -> Line | None:
        if self._skipping:
            return None
        self._pending += part[: self._cap - len(self._pending)]
        if len(self._pending) < self._cap:
            return None
        head = bytes(self._pending)
        self._pending.clear()
        self._skipping = True
        return Line(head, cut=True)
