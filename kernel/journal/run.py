"""Walking one run: its turns as a stream, and what else the journal says gathered on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from kernel.journal.lines import HeaderLine, JournalGapLine, NotableLine, SummaryLine, UsageLine
from kernel.journal.projection import FindReading, canonical
from kernel.journal.reader import JournalReader, TornTail
from kernel.journal.recorded import RecordedTurn
from kernel.journal.usage import UsageTally


class RunWalk:
    """One pass over a journal. Everything but `turns` is complete once that is used up.

    `header` is None in a file that holds no whole line, `summary` in a run that was cut off.
    """

    def __init__(self, path: Path, find_reading: FindReading = canonical) -> None:
        self.path = path
        self.header: HeaderLine | None = None
        self.summary: SummaryLine | None = None
        self.usage = UsageTally()
        self.notables: list[NotableLine] = []
        self.gaps: list[JournalGapLine] = []
        self.kinds: Counter[str] = Counter()
        """Lines by kind; a recovered turn counts under `recovered`."""
        self._reader = JournalReader(path, find_reading)

    @property
    def torn(self) -> TornTail | None:
        """The last line, if death cut it off."""
        return self._reader.torn

    def turns(self) -> Iterator[RecordedTurn]:
        """The run's turns in file order, recovered ones included; once.

        Raises JournalUnreadable and JournalDamaged.
        """
        for entry in self._reader:
            value = entry.value
            if isinstance(value, RecordedTurn):
                self.kinds["recovered" if value.recovered else "turn"] += 1
                yield value
                continue
            self.kinds[str(value.__struct_config__.tag)] += 1
            match value:
                case HeaderLine():
                    self.header = value
                case SummaryLine():
                    self.summary = value
                case UsageLine():
                    self.usage.add(value)
                case NotableLine():
                    self.notables.append(value)
                case JournalGapLine():
                    self.gaps.append(value)
                case _:
                    pass
        self.usage.end_run()
