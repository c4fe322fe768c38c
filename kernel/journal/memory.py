"""The notes and the objective that a journey's journals end with (K17)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from kernel.journal.damage import JournalDamaged, JournalError, JournalUnreadable
from kernel.journal.lines import HeaderLine
from kernel.journal.projection import FindReading, canonical
from kernel.journal.reader import decode_line, lines_that_fit
from kernel.journal.recorded import RecordedTurn
from kernel.journal.run import RunWalk

Rank = tuple[int, str]


@dataclass(frozen=True, slots=True)
class LastMemory:
    """What the journey's latest turn left, and which turn that was."""

    notes: str | None
    objective: str | None
    path: Path
    turn: int


@dataclass(frozen=True, slots=True)
class JourneyMemory:
    """`last` is None for a journey without a turn. A bad file is named and hides no other."""

    last: LastMemory | None
    bad: tuple[JournalError, ...]


def journey_memory(
    directory: Path, journey_id: str, find_reading: FindReading = canonical
) -> JourneyMemory:
    """The memory of the turn with the highest (driver generation, number) of this journey.

    Reads the first line of every journal in the directory (some 30 µs each) and, newest generation
    first, whole journals of this journey until one has a turn: normally one (some 3 ms a megabyte),
    and more only where a generation was given twice. Raises JournalUnreadable when the directory
    itself cannot be listed.
    """
    bad: list[JournalError] = []
    runs: list[tuple[Rank, Path]] = []
    for path in journals_in(directory):
        try:
            header = read_header(path)
        except JournalError as error:
            bad.append(error)
            continue
        if header is not None and header.journey_id == journey_id:
            runs.append((rank_of(header), path))
    for _, alike in groupby(sorted(runs, reverse=True), key=lambda run: run[0]):
        last = _last_of([path for _, path in alike], find_reading, bad)
        if last is not None:
            return JourneyMemory(last, tuple(bad))
    return JourneyMemory(None, tuple(bad))


def rank_of(header: HeaderLine) -> Rank:
    """Which of two runs of a journey is the later one; among equals their turns' numbers tell.

    Journals from before headers had a generation come first, by their start.
    """
    if header.driver_generation is None:
        return -1, header.started_at
    return header.driver_generation, ""


def journals_in(directory: Path) -> list[Path]:
    """The journals of a directory by name, which is by start; none where there is no directory.

    Raises JournalUnreadable when it cannot be listed.
    """
    try:
        return sorted(path for path in directory.iterdir() if path.suffix == ".jsonl")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise JournalUnreadable(directory, error) from error


def read_header(path: Path) -> HeaderLine | None:
    """A journal's header, without reading further; None when the file has no whole line yet.

    Raises JournalUnreadable and JournalDamaged.
    """
    for number, text in lines_that_fit(path):
        if not text.endswith(b"\n"):
            return None
        header = decode_line(path, number, text, None)
        if not isinstance(header, HeaderLine):
            raise JournalDamaged(path, 1, "a journal begins with a header", "kind")
        return header
    return None


def _last_of(
    paths: Iterable[Path], find_reading: FindReading, bad: list[JournalError]
) -> LastMemory | None:
    """The memory of the highest turn; of two alike, the first path's."""
    last: LastMemory | None = None
    for path in paths:
        try:
            turn = _last_turn(path, find_reading)
        except JournalError as error:
            bad.append(error)
            continue
        if turn is not None and (last is None or turn.turn.turn > last.turn):
            last = LastMemory(turn.turn.notes, turn.turn.objective, path, turn.turn.turn)
    return last


def _last_turn(path: Path, find_reading: FindReading) -> RecordedTurn | None:
    return max(RunWalk(path, find_reading).turns(), key=lambda turn: turn.turn.turn, default=None)
