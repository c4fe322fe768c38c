"""Reading a journal, line by line, in bounded memory.

Strict, except in one place: a last line without its newline is a write that death cut off; it is
named (`torn`), and read only when it is whole but for the newline. Each line is decoded once, and
the evidence of a turn not until somebody asks.

A turn that has no line of its own, because the process died first, is joined from its `decision`
and `action` lines and marked `recovered`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import UNSET

from kernel.journal.damage import JournalDamaged, JournalUnreadable, LongTail, damage_of
from kernel.journal.lenience import read
from kernel.journal.lines import (
    LINE_LIMIT,
    ActionLine,
    AnyLine,
    DecisionLine,
    EvidenceWindowLine,
    HeaderLine,
    JournalGapLine,
    NotableLine,
    SummaryLine,
    TransportLine,
    TurnLine,
    UsageLine,
)
from kernel.journal.opening import open_file
from kernel.journal.projection import NAMELESS, FindReading, JournalReading, canonical, project
from kernel.journal.recorded import RecordedTurn, recorded
from kernel.journal.recovery import OpenTurn
from kernel.undecodable import UNDECODABLE

Value = (
    HeaderLine
    | RecordedTurn
    | DecisionLine
    | ActionLine
    | UsageLine
    | NotableLine
    | EvidenceWindowLine
    | JournalGapLine
    | TransportLine
    | SummaryLine
)
"""What one line means."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line and its number. A recovered turn comes before the line that revealed it."""

    line: int
    value: Value


@dataclass(frozen=True, slots=True)
class TornTail:
    """The last line has no newline. `whole` tells whether it could be read all the same."""

    line: int
    bytes: int
    whole: bool


class JournalReader:
    """Iterates over a journal's entries, from the beginning each time.

    The first is the header, except in a file that holds no whole line. Raises JournalUnreadable and
    JournalDamaged while iterating. `torn` tells of the last line once the iteration is over.
    """

    def __init__(self, path: Path, find_reading: FindReading = canonical) -> None:
        self.path = path
        self.torn: TornTail | None = None
        self._find_reading = find_reading

    def __iter__(self) -> Iterator[Entry]:
        self.torn = None
        reading: JournalReading | None = None
        open_turn = OpenTurn()
        number = 0
        for number, text in self._lines():
            torn = not text.endswith(b"\n")
            try:
                value = decode_line(self.path, number, text, reading)
            except JournalDamaged:
                if not torn:
                    raise
                self.torn = TornTail(number, len(text), whole=False)
                break
            if torn:
                self.torn = TornTail(number, len(text), whole=True)
            if isinstance(value, HeaderLine) is not (number == 1):
                problem = "a second header" if number > 1 else "a journal begins with a header"
                raise JournalDamaged(self.path, number, problem, "kind")
            if isinstance(value, HeaderLine):
                reading = reading_for(value, self._find_reading)
            elif cut_off := open_turn.follow(value):
                yield Entry(number, recorded(self.path, number, project(cut_off), recovered=True))
            yield Entry(number, value)
        if cut_off := open_turn.end():
            yield Entry(number, recorded(self.path, number, project(cut_off), recovered=True))

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        try:
            yield from lines_of(self.path)
        except LongTail as tail:
            self.torn = TornTail(tail.line, tail.bytes, whole=False)


def lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """Line numbers from 1 and lines with their newline, which the last one may lack.

    Raises JournalUnreadable, JournalDamaged for a line past 256 KiB, and LongTail for a last one
    past it that has no newline.
    """
    number = 0
    try:
        with open_file(path, LINE_LIMIT) as file:
            while text := file.readline(LINE_LIMIT + 1):
                number += 1
                if len(text) > LINE_LIMIT:
                    raise too_long(path, number, text, file)
                yield number, text
    except OSError as error:
        raise JournalUnreadable(path, error) from error


def lines_that_fit(path: Path) -> Iterator[tuple[int, bytes]]:
    """The same, where a torn tail that is too long to be read is no more than the end."""
    with suppress(LongTail):
        yield from lines_of(path)


def too_long(path: Path, number: int, start: bytes, file: BinaryIO) -> JournalDamaged:
    """The damage that a line past 256 KiB is, without taking the rest of it into memory."""
    length = len(start)
    ended = start.endswith(b"\n")
    while not ended and (more := file.readline(LINE_LIMIT)):
        length += len(more)
        ended = more.endswith(b"\n")
    if ended:
        return JournalDamaged(path, number, "longer than 256 KiB")
    return LongTail(path, number, length)


def decode_line(path: Path, number: int, text: bytes, reading: JournalReading | None) -> Value:
    """Read one line; a turn with the body's own reading, if there is one.

    Raises JournalDamaged, naming the field.
    """
    try:
        text.decode()
        if reading is not None and kind_of(text) == "turn":
            return recorded(path, number, reading.project(text))
        line = read(_line, text)
    except UNDECODABLE as error:
        raise damage_of(path, number, error) from error
    return recorded(path, number, project(line)) if isinstance(line, TurnLine) else line


def reading_for(header: HeaderLine, find_reading: FindReading) -> JournalReading | None:
    """The reading for a journal's turn lines; older headers name no environment, or as scenario."""
    if header.environment_id is not UNSET:
        return find_reading(header.environment_id)
    named = (find_reading(part) for part in header.scenario_id.split(":") if part)
    return next(filter(None, named), None) or find_reading(NAMELESS)


def kind_of(text: bytes) -> str:
    """The `kind` of a line that may be damaged elsewhere. Raises msgspec's `DecodeError`."""
    if text.startswith(_TURN):
        return "turn"
    return _kind.decode(text).kind


class _Kind(msgspec.Struct):
    kind: str


_TURN = b'{"kind":"turn",'
_kind = msgspec.json.Decoder(_Kind)
_line = msgspec.json.Decoder[AnyLine](AnyLine)
