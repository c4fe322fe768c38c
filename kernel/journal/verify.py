"""Checking that a journal is what was written: every line, their order, the seals, the pictures.

A run that ended in order is sealed to its end. One that was cut off, or goes on, has lines after
its last seal: there a line that was changed with care goes unseen, so their number is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from kernel.journal.damage import JournalDamaged
from kernel.journal.lines import Envelope, EvidenceWindowLine, HeaderLine, SummaryLine
from kernel.journal.pictures import check_picture
from kernel.journal.projection import FindReading, JournalReading, canonical
from kernel.journal.reader import Value, decode_line, lines_of, reading_for
from kernel.journal.recorded import RecordedTurn
from kernel.journal.sequence import Sequence
from kernel.journal.windows import LINES_PER_WINDOW, EvidenceWindow

MOST_FINDINGS: Final = 100
"""Findings after which nothing further is looked for."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong, and where: a line, or lines up to `last_line`; `field` is a dotted path."""

    line: int
    problem: str
    field: str = ""
    last_line: int | None = None

    def __str__(self) -> str:
        lines = (
            f"line {self.line}"
            if self.last_line is None
            else (f"lines {self.line}–{self.last_line}")
        )
        field = f", field {self.field}" if self.field else ""
        return f"{lines}{field}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found, and how many lines at the end stand under no seal."""

    findings: list[Finding]
    lines: int
    unsealed: int


def verify(path: Path, find_reading: FindReading = canonical) -> list[Finding]:
    """What is wrong with one journal, as `examine` finds it."""
    return examine(path, find_reading).findings


def examine(path: Path, find_reading: FindReading = canonical) -> Verified:
    """Check one journal, streaming. Raises JournalUnreadable; nothing else is an error here."""
    check = _Check(path, find_reading)
    number = 0
    try:
        for number, text in lines_of(path):
            if not text.endswith(b"\n"):
                check.find(number, f"torn tail: {len(text)} bytes without a newline")
                break
            check.line(number, text)
            if len(check.findings) >= MOST_FINDINGS:
                check.find(number, "too much is wrong: what follows was not looked at")
                break
    except JournalDamaged as damage:
        check.find(damage.line, f"{damage.problem}; what follows was not looked at", damage.field)
    if number == 0:
        check.find(1, "the file is empty")
    check.end(number)
    return Verified(check.findings, number, check.unsealed)


class _Check:
    def __init__(self, path: Path, find_reading: FindReading) -> None:
        self.findings: list[Finding] = []
        self._path = path
        self._find_reading = find_reading
        self._reading: JournalReading | None = None
        self._header: HeaderLine | None = None
        self._envelope: tuple[str | UnsetType, ...] = ()
        self._window = EvidenceWindow()
        self._window_start = 1
        self._sequence = Sequence()
        self._summed_up = False

    @property
    def unsealed(self) -> int:
        """Lines since the last seal, in a journal of the kind that has seals."""
        return self._window.lines if self._sealed else 0

    def end(self, number: int) -> None:
        if self._summed_up and self.unsealed:
            self.find(number, "the last seal is missing: a run with a summary ends with one")

    def find(self, line: int, problem: str, field: str = "") -> None:
        self.findings.append(Finding(line, problem, field))

    def line(self, number: int, text: bytes) -> None:
        value = self._decode(number, text)
        if isinstance(value, HeaderLine) and number == 1:
            self._begin(value)
        elif isinstance(value, HeaderLine):
            self.find(number, "a second header", "kind")
        elif number == 1 and value is not None:
            self.find(number, "a journal begins with a header", "kind")
        self._check_envelope(number, text)
        if value is not None:
            for problem, field in self._sequence.follow(value):
                self.find(number, problem, field)
            self._check_content(number, value)
        else:
            self._sequence.unreadable()
        self._check_window(number, text, value)

    def _decode(self, number: int, text: bytes) -> Value | None:
        try:
            value = decode_line(self._path, number, text, self._reading)
            if isinstance(value, RecordedTurn):
                value.evidence()
        except JournalDamaged as damage:
            self.find(number, damage.problem, damage.field)
            return None
        return value

    def _begin(self, header: HeaderLine) -> None:
        self._header = header
        self._reading = reading_for(header, self._find_reading)
        self._envelope = tuple(getattr(header, name) for name in _ENVELOPE)

    def _check_envelope(self, number: int, text: bytes) -> None:
        """Older journals have no envelope: there, what a line does not say is no disagreement."""
        if self._header is None:
            return
        try:
            stamp = _stamp.decode(text)
        except _UNSTAMPED:
            return
        complete = self._header.schema_version >= _WITH_ENVELOPE
        for name, of_run in zip(_ENVELOPE, self._envelope, strict=True):
            of_line: str | UnsetType = getattr(stamp, name)
            field = _CAMEL[name]
            if UNSET in (of_line, of_run):
                if complete:
                    self.find(number, "the envelope lacks it", field)
            elif of_line != of_run:
                self.find(number, f"is {of_line!r} and the header says {of_run!r}", field)
        if complete and stamp.at is UNSET:
            self.find(number, "the envelope lacks it", "at")

    def _check_content(self, number: int, value: Value) -> None:
        if isinstance(value, SummaryLine):
            screenshot = None if value.screenshot is UNSET else value.screenshot
            self._summed_up = True
            if self._sealed and value.rolled_windows != self._window.index:
                told = f"says {value.rolled_windows} and {self._window.index} seals stand before it"
                self.find(number, told, "rolledWindows")
        elif isinstance(value, RecordedTurn):
            screenshot = value.screenshot
        else:
            return
        if screenshot is not None and (problem := check_picture(self._path, screenshot)):
            self.find(number, problem, "screenshot")

    @property
    def _sealed(self) -> bool:
        """Whether this journal is of the kind that has seals."""
        return self._header is not None and self._header.schema_version >= _WITH_ENVELOPE

    def _check_window(self, number: int, text: bytes, value: Value | None) -> None:
        if isinstance(value, EvidenceWindowLine):
            self._check_seal(number, value)
            self._window.roll(value)
            self._window_start = number + 1
        elif value is None and _SEAL in text[:64]:
            # A damaged seal was found already; the chain goes on with what it should have said.
            self._window.roll(self._window.seal())
            self._window_start = number + 1
        else:
            if self._sealed and self._window.lines == LINES_PER_WINDOW:
                self.find(number, f"the seal of evidence window {self._window.index} is missing")
            self._window.add(text)

    def _check_seal(self, number: int, seal: EvidenceWindowLine) -> None:
        window = self._window.seal()
        if seal.window != window.window:
            self.find(number, f"is {seal.window}; window {window.window} is next", "window")
        if seal.previous_sha256 != window.previous_sha256:
            self.find(number, "is not the digest of the seal before", "previousSha256")
        if seal.lines != LINES_PER_WINDOW and not self._summed_up:
            self.find(number, f"is {seal.lines}, not {LINES_PER_WINDOW}", "lines")
        if (seal.lines, seal.bytes, seal.sha256) == (window.lines, window.bytes, window.sha256):
            return
        if (seal.lines, seal.bytes) != (window.lines, window.bytes):
            told = f"{window.lines} lines of {window.bytes} bytes"
            told = f"{told}; the seal on line {number} says {seal.lines} of {seal.bytes}"
        else:
            told = f"not the bytes that were sealed on line {number}"
        self.findings.append(Finding(self._window_start, told, "", number - 1))


_ENVELOPE = Envelope.__struct_fields__
_CAMEL = dict(zip(Envelope.__struct_fields__, Envelope.__struct_encode_fields__, strict=True))
_WITH_ENVELOPE: Final = 3
_SEAL = b'"evidence_window"'
_UNSTAMPED = (msgspec.DecodeError, RecursionError)


class _Stamp(Struct, rename="camel"):
    at: str | UnsetType = UNSET
    run_id: str | UnsetType = UNSET
    journey_id: str | UnsetType = UNSET
    environment_id: str | UnsetType = UNSET
    environment_session_id: str | UnsetType = UNSET
    venue: str | UnsetType = UNSET


_stamp = msgspec.json.Decoder(_Stamp)
