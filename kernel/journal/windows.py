"""Evidence windows: runs of 256 journal lines, each sealed by a line that can be checked (K35).

A window holds every line of the file since the previous seal, or since the beginning: the header,
turns and all diagnostics alike. The seals themselves stand between windows and belong to none.
The digest is SHA-256 over the exact bytes of the window's lines, newlines included, in file order.
A seal repeats the digest of the seal before it, so that no window can be taken out unseen. A
run that ended in order ends with the seal of what was left, after its summary; one that was cut off
ends with lines that are covered by nothing. The writer and `verify` both count here.
"""

from __future__ import annotations

import hashlib
from typing import Final

from kernel.journal.lines import EvidenceWindowLine

LINES_PER_WINDOW: Final = 256


class EvidenceWindow:
    """The window that is being filled, and the chain of those before it."""

    def __init__(self) -> None:
        self.index = 0
        """How many windows were sealed before this one."""
        self.lines = 0
        self.bytes = 0
        self.full = False
        """Whether a seal must be the next line."""
        self._digest = hashlib.sha256()
        self._previous: str | None = None

    def add(self, line: bytes | bytearray | memoryview) -> None:
        """Take one whole line, newline included."""
        self.count(len(line))
        self._digest.update(line)

    def count(self, length: int) -> None:
        """Take a line by its length alone: what seals then say of digests is void."""
        self.lines += 1
        self.bytes += length
        self.full = self.lines >= LINES_PER_WINDOW

    def seal(self) -> EvidenceWindowLine:
        """The seal over what the window holds now."""
        return EvidenceWindowLine(
            window=self.index,
            lines=self.lines,
            bytes=self.bytes,
            sha256=self._digest.hexdigest(),
            previous_sha256=self._previous,
        )

    def roll(self, seal: EvidenceWindowLine) -> None:
        """Start the next window after `seal`, as it stands in the file."""
        self.index = seal.window + 1
        self.lines = 0
        self.bytes = 0
        self.full = False
        self._digest = hashlib.sha256()
        self._previous = seal.sha256
