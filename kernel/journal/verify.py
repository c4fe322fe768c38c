"""Checking that a journal is what was written: every line, their order, the seals, the pictures.

A run that ended in order is sealed to its end. One that was cut off, or goes on, has lines after
its last seal: there a line that was changed with care goes unseen, so their number is told.

Without digests a turn is looked at no further than its place goes: envelope, number, brackets,
seals by their size, pictures by theirs. That is several times as fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from msgspec import UNSET

from kernel.journal.agreement import WITH_ENVELOPE, Agreement
from kernel.journal.damage import JournalDamaged, LongTail
from kernel.journal.finding import Finding
from kernel.journal.glance import TurnGlance, glance_at
from kernel.journal.lines import EvidenceWindowLine, HeaderLine, JournalGapLine, SummaryLine
from kernel.journal.observed import is_what_was_shown
from kernel.journal.pictures import PictureCheck
from kernel.journal.projection import FindReading, JournalReading, canonical
from kernel.journal.reader import decode_line, lines_of, reading_for
from kernel.journal.recorded import RecordedTurn
from kernel.journal.seals import Seals
from kernel.journal.sequence import Sequence

MOST_FINDINGS: Final = 100
"""Findings after which nothing further is looked for."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found, the lines' damage first, and how many lines at the end are under no seal."""

    findings: list[Finding]
    lines: int
    unsealed: int
    summary: SummaryLine | None = None
    """As it stands there; without findings it is the run's own word."""


def verify(path: Path, find_reading: FindReading = canonical) -> list[Finding]:
    """What is wrong with one journal, as `examine` finds it."""
    return examine(path, find_reading).findings


def examine(
    path: Path, find_reading: FindReading | None = canonical, *, digests: bool = True
) -> Verified:
    """Check one journal, streaming. Raises JournalUnreadable; nothing else is an error here.

    With `digests`, what is found whole can be read, judged and shown without an error; but for
    turns where no `find_reading` reads their body's values: those are held to their seals alone.
    """
    check = _Check(path, find_reading, digests=digests)
    number = 0
    try:
        for number, text in lines_of(path):
            if not text.endswith(b"\n"):
                check.find(number, f"torn tail: {len(text)} bytes without a newline")
                break
            check.line(number, text)
            if check.found >= MOST_FINDINGS:
                check.find(number, "too much is wrong: what follows was not looked at")
                break
    except LongTail as tail:
        number = tail.line
        check.find(number, tail.problem)
    except JournalDamaged as damage:
        check.find(damage.line, f"{damage.problem}; what follows was not looked at", damage.field)
    if number == 0:
        check.find(1, "the file is empty")
    check.end(number)
    findings = [*check.findings, *check.pictures.findings()]
    return Verified(findings, number, check.unsealed, check.summary)


class _Check:
    def __init__(self, path: Path, find_reading: FindReading | None, *, digests: bool) -> None:
        self.findings: list[Finding] = []
        self.pictures = PictureCheck(path, digest=digests)
        self._path = path
        self._find_reading = find_reading
        self._digests = digests
        self._reading: JournalReading | None = None
        self._agreement: Agreement | None = None
        self._has_seals = False
        self._seals = Seals(digests=digests)
        self._sequence = Sequence()
        self.summary: SummaryLine | None = None
        self._over = False
        """Only what was left is still to be sealed: the summary came, or is owned up to as lost."""

    @property
    def found(self) -> int:
        return len(self.findings) + len(self.pictures.wrong)

    @property
    def unsealed(self) -> int:
        """Lines since the last seal, in a journal of the kind that has seals."""
        return self._seals.open_lines if self._has_seals else 0

    def end(self, number: int) -> None:
        if self.summary is not None and self.unsealed:
            self.find(number, "the last seal is missing: a run with a summary ends with one")

    def find(self, line: int, problem: str, field: str = "") -> None:
        self.findings.append(Finding(line, problem, field))

    def line(self, number: int, text: bytes) -> None:
        try:
            value = glance_at(self._path, number, text)
        except JournalDamaged as damage:
            self.find(number, damage.problem, damage.field)
            self._unreadable(number, text)
            return
        if isinstance(value, HeaderLine):
            self._header(number, value)
        elif number == 1:
            self.find(1, "a journal begins with a header", "kind")
        if self._agreement is not None:
            self.findings.extend(self._agreement.check(number, value))
        for problem, field in self._sequence.follow(value):
            self.find(number, problem, field)
        if isinstance(value, EvidenceWindowLine):
            self.findings.extend(self._seals.check(number, value, last=self._over))
            return
        if isinstance(value, TurnGlance):
            self._turn(number, text, value)
        elif isinstance(value, SummaryLine):
            self._summary(number, value)
        elif isinstance(value, JournalGapLine):
            self._over = self._over or "summary" in value.lost_kinds
        self._add(number, text)

    def _unreadable(self, number: int, text: bytes) -> None:
        if number == 1:
            self.find(1, "a journal begins with a header", "kind")
        self._sequence.unreadable()
        if _SEAL in text[:64]:
            self._seals.pass_over(number)
        else:
            self._add(number, text)

    def _header(self, number: int, header: HeaderLine) -> None:
        if number > 1:
            self.find(number, "a second header", "kind")
            return
        if self._find_reading is not None:
            self._reading = reading_for(header, self._find_reading)
        self._agreement = Agreement(header)
        self._has_seals = header.schema_version >= WITH_ENVELOPE

    def _turn(self, number: int, text: bytes, glance: TurnGlance) -> None:
        if self._digests and self._find_reading is not None:
            try:
                self._content(number, text)
            except JournalDamaged as damage:
                self.find(number, damage.problem, damage.field)
        self._picture(number, glance)

    def _content(self, number: int, text: bytes) -> None:
        """Read all of a turn that any reader asks for. Raises JournalDamaged."""
        turn = decode_line(self._path, number, text, self._reading)
        assert isinstance(turn, RecordedTurn), "the glance saw a turn"
        evidence = turn.evidence()
        if evidence is not None and not is_what_was_shown(turn, evidence):
            self.find(number, "is not the digest of what was shown", "turn.observationSha256")
        if self._reading is not None:
            self._reading.judge(turn)
            self._reading.inspect(turn)

    def _summary(self, number: int, summary: SummaryLine) -> None:
        self.summary, self._over = summary, True
        seals = self._seals.sealed
        if self._has_seals and summary.rolled_windows != seals:
            told = f"says {summary.rolled_windows} and {seals} seals stand before it"
            self.find(number, told, "rolledWindows")
        self._picture(number, summary)

    def _picture(self, number: int, line: TurnGlance | SummaryLine) -> None:
        if line.screenshot is not UNSET:
            self.pictures.check(number, line.screenshot)

    def _add(self, number: int, text: bytes) -> None:
        if self._has_seals and (missing := self._seals.missing(number)):
            self.findings.append(missing)
        self._seals.add(text)


_SEAL = b'"evidence_window"'
