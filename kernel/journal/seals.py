"""Holding a journal's seals to the lines that they stand behind (K35)."""

from __future__ import annotations

from collections.abc import Iterator

from kernel.journal.finding import Finding
from kernel.journal.lines import EvidenceWindowLine
from kernel.journal.windows import LINES_PER_WINDOW, EvidenceWindow


class Seals:
    """Follows one trail. Without `digests` a seal is held to its place and size alone."""

    def __init__(self, *, digests: bool) -> None:
        self._digests = digests
        self._window = EvidenceWindow()
        self._start = 1

    @property
    def sealed(self) -> int:
        """Windows that have their seal."""
        return self._window.index

    @property
    def open_lines(self) -> int:
        """Lines since the last seal."""
        return self._window.lines

    def add(self, text: bytes) -> None:
        """Take a line that is no seal."""
        if self._digests:
            self._window.add(text)
        else:
            self._window.count(len(text))

    def missing(self, number: int) -> Finding | None:
        """What is wrong if this line, which is no seal, comes next."""
        if self._window.lines != LINES_PER_WINDOW:
            return None
        return Finding(number, f"the seal of evidence window {self._window.index} is missing")

    def check(self, number: int, seal: EvidenceWindowLine, *, last: bool) -> Iterator[Finding]:
        """Take a seal; `last`: the run is over, and what was left is sealed."""
        window = self._window.seal()
        if seal.window != window.window:
            yield Finding(number, f"is {seal.window}; window {window.window} is next", "window")
        if seal.previous_sha256 != window.previous_sha256:
            yield Finding(number, "is not the digest of the seal before", "previousSha256")
        if seal.lines != LINES_PER_WINDOW and not last:
            yield Finding(number, f"is {seal.lines}, not {LINES_PER_WINDOW}", "lines")
        if (seal.lines, seal.bytes) != (window.lines, window.bytes):
            told = f"{window.lines} lines of {window.bytes} bytes"
            told = f"{told}; the seal on line {number} says {seal.lines} of {seal.bytes}"
            yield Finding(self._start, told, "", number - 1)
        elif self._digests and seal.sha256 != window.sha256:
            told = f"not the bytes that were sealed on line {number}"
            yield Finding(self._start, told, "", number - 1)
        self._roll(number, seal)

    def pass_over(self, number: int) -> None:
        """Take a seal that cannot be read: the chain goes on with what it should have said."""
        self._roll(number, self._window.seal())

    def _roll(self, number: int, seal: EvidenceWindowLine) -> None:
        self._window.roll(seal)
        self._start = number + 1
