"""Reading a journal while it is written: each call gives the whole lines that came since."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kernel.journal.damage import JournalDamaged, JournalUnreadable, LongTail
from kernel.journal.lines import LINE_LIMIT, HeaderLine
from kernel.journal.opening import open_file
from kernel.journal.projection import FindReading, JournalReading, project
from kernel.journal.reader import Entry, decode_line, reading_for, too_long
from kernel.journal.recorded import recorded
from kernel.journal.recovery import OpenTurn


class GrowingJournal:
    """A journal that may still grow. A line without its newline waits for the rest of it.

    A turn that was cut off shows once a later line reveals it.
    """

    def __init__(self, path: Path, find_reading: FindReading) -> None:
        self.path = path
        self.reading: JournalReading | None = None
        self._find_reading = find_reading
        self._open_turn = OpenTurn()
        self._read = 0
        self._lines = 0

    def news(self) -> Iterator[Entry]:
        """What was written since. Raises JournalUnreadable and JournalDamaged."""
        try:
            with open_file(self.path, LINE_LIMIT) as file:
                file.seek(self._read)
                while text := file.readline(LINE_LIMIT + 1):
                    if len(text) > LINE_LIMIT:
                        raise too_long(self.path, self._lines + 1, text, file)
                    if not text.endswith(b"\n"):
                        return
                    self._read += len(text)
                    self._lines += 1
                    yield from self._entries(text)
        except LongTail:
            return
        except OSError as error:
            raise JournalUnreadable(self.path, error) from error

    def _entries(self, text: bytes) -> Iterator[Entry]:
        number = self._lines
        value = decode_line(self.path, number, text, self.reading)
        if isinstance(value, HeaderLine) is not (number == 1):
            problem = "a second header" if number > 1 else "a journal begins with a header"
            raise JournalDamaged(self.path, number, problem, "kind")
        if isinstance(value, HeaderLine):
            self.reading = reading_for(value, self._find_reading)
        elif cut_off := self._open_turn.follow(value):
            yield Entry(number, recorded(self.path, number, project(cut_off), recovered=True))
        yield Entry(number, value)
