"""The notes and the objective that a journey's journals end with (K17)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kernel.journal.damage import JournalDamaged, JournalError, JournalUnreadable
from kernel.journal.lines import HeaderLine
from kernel.journal.projection import FindReading, canonical
from kernel.journal.reader import decode_line, lines_that_fit
from kernel.journal.recorded import RecordedTurn
from kernel.journal.run import RunWalk


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
    first, whole journals of this journey until one has a turn: normally one (some 3 ms a megabyte).
    Raises JournalUnreadable when the directory itself cannot be listed.
    """
    bad: list[JournalError] = []
    runs: list[tuple[int, str, Path]] = []
    for path in journals_in(directory):
        try:
            header = read_header(path)
        except JournalError as error:
            bad.append(error)
            continue
        if header is not None and header.journey_id == journey_id:
            runs.append((header.driver_generation or 0, header.started_at, path))
    for _, _, path in sorted(runs, reverse=True):
        try:
            turn = _last_turn(path, find_reading)
        except JournalError as error:
            bad.append(error)
            continue
        if turn is not None:
            memory = LastMemory(turn.turn.notes, turn.turn.objective, path, turn.turn.turn)
            return JourneyMemory(memory, tuple(bad))
    return JourneyMemory(None, tuple(bad))


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


def _last_turn(path: Path, find_reading: FindReading) -> RecordedTurn | None:
    return max(RunWalk(path, find_reading).turns(), key=lambda turn: turn.turn.turn, default=None)
