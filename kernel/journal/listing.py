"""Finding runs: from each journal the first line and the end, never the whole file."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Raw, Struct

from kernel.journal.damage import JournalDamaged, JournalError, JournalUnreadable
from kernel.journal.evaluation.side_logs import LifecycleEvent, LifecycleEvents, outcome_by
from kernel.journal.lenience import read
from kernel.journal.lines import LINE_LIMIT, NULL, Count
from kernel.journal.memory import journals_in, read_header
from kernel.journal.opening import open_file
from kernel.undecodable import UNDECODABLE

NEAR_END: Final = 32 * 1024
"""Bytes of a journal's end that are read first; a line that is longer makes it more."""


ToldBy = Literal["summary", "lifecycle", "unknown"]


class RunEntry(Struct, frozen=True, kw_only=True, rename="camel"):
    """One run as a list shows it."""

    path: str
    bytes: int
    run_id: str | None
    journey_id: str | None
    environment_id: str | None
    started_at: str
    last_at: str | None
    """When the last line was written."""
    outcome: str | None
    """None: nobody says, because the run goes on or was cut off."""
    told_by: ToldBy
    """Who says how it ended: its summary, else the daemon's log of events."""
    turns: int | None
    """None: the end of the file does not tell."""
    torn: bool
    """The last line was cut off."""


class Wanted(Struct, frozen=True, kw_only=True):
    """Which runs to find; None asks for nothing."""

    journey: str | None = None
    runs: Collection[str] | None = None
    since: str | None = None
    """Runs that started then or later: UTC to the second, `2026-03-01T10:00:00`."""
    until: str | None = None
    """Runs that started before."""
    outcome: str | None = None
    """`unknown`: nobody says how they ended."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Runs, newest first. A bad file is named and hides no other."""

    runs: tuple[RunEntry, ...]
    bad: tuple[JournalError, ...]


def list_runs(directory: Path, wanted: Wanted, events: LifecycleEvents) -> Listing:
    """The runs of a directory that are wanted. Raises JournalUnreadable for the directory.

    `events` tell how a run without a summary ended.
    """
    runs: list[RunEntry] = []
    bad: list[JournalError] = []
    for path in reversed(journals_in(directory)):
        try:
            run = run_at(path, events)
        except JournalError as error:
            bad.append(error)
            continue
        if run is not None and _is_wanted(run, wanted):
            runs.append(run)
    return Listing(tuple(runs), tuple(bad))


def run_at(path: Path, events: LifecycleEvents) -> RunEntry | None:
    """The entry of one journal; None when it has no whole line yet.

    Raises JournalUnreadable and JournalDamaged.
    """
    header = read_header(path)
    if header is None:
        return None
    end = _end_of(path)
    last, counted, summary = end.last, end.counted, end.summary
    turns = summary.turns_taken if summary is not None else None
    if turns is None and counted is not None:
        turns = counted + 1
    elif turns is None and end.is_whole:
        turns = 0
    outcome, told_by = _outcome(summary, events.end_of(header.run_id or None))
    return RunEntry(
        path=str(path),
        bytes=end.bytes,
        run_id=header.run_id or None,
        journey_id=header.journey_id or None,
        environment_id=header.environment_id or None,
        started_at=header.started_at,
        last_at=last.at if last else None,
        outcome=outcome,
        told_by=told_by,
        turns=turns,
        torn=end.torn,
    )


def _outcome(summary: _Line | None, end: LifecycleEvent | None) -> tuple[str | None, ToldBy]:
    if summary is not None:
        return summary.outcome, "summary"
    return (None, "unknown") if end is None else (outcome_by(end), "lifecycle")


class _Line(Struct, frozen=True, rename="camel"):
    """What of any line matters here; `turn` is a number or holds one."""

    kind: str
    at: str | None = None
    turn: Raw = NULL
    outcome: str | None = None
    turns_taken: Count | None = None


class _Numbered(Struct, frozen=True):
    turn: Count


@dataclass(slots=True)
class _End:
    bytes: int
    is_whole: bool
    """Whether this is the whole file."""
    torn: bool = False
    last: _Line | None = None
    counted: int | None = None
    """The number of the last turn that was begun."""
    summary: _Line | None = None


def _end_of(path: Path) -> _End:
    try:
        with open_file(path) as file:
            size = file.seek(0, 2)
            for reach in (NEAR_END, 2 * LINE_LIMIT):
                start = max(0, size - reach)
                file.seek(start)
                end = _read_end(path, file.read(size - start), size)
                if end.summary is not None or end.counted is not None:
                    return end
                if end.is_whole:
                    break
            return end
    except OSError as error:
        raise JournalUnreadable(path, error) from error


def _read_end(path: Path, text: bytes, size: int) -> _End:
    end = _End(size, is_whole=len(text) == size)
    lines = text.split(b"\n")
    end.torn = bool(lines.pop())
    if not end.is_whole:
        del lines[:1]
    for behind, line in enumerate(reversed(lines)):
        try:
            line.decode()
            seen = read(_line, line)
            number = _number_in(seen)
        except UNDECODABLE as error:
            raise JournalDamaged(path, _count_lines(path) - behind, str(error)) from error
        end.last = end.last or seen
        if seen.kind == "summary":
            end.summary = end.summary or seen
        if number is not None:
            end.counted = number
            break
    return end


def _number_in(line: _Line) -> int | None:
    if line.kind == "turn":
        return read(_numbered, line.turn).turn
    return read(_number, line.turn) if line.kind in ("decision", "action") else None


def _count_lines(path: Path) -> int:
    """How many whole lines there are: read only to say where damage is."""
    with open_file(path) as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(LINE_LIMIT), b""))


def _is_wanted(run: RunEntry, wanted: Wanted) -> bool:
    started = run.started_at[:19]
    return (
        (wanted.journey is None or run.journey_id == wanted.journey)
        and (wanted.runs is None or run.run_id in wanted.runs)
        and (wanted.since is None or started >= wanted.since)
        and (wanted.until is None or started < wanted.until)
        and (wanted.outcome is None or (run.outcome or "unknown") == wanted.outcome)
    )


_line = msgspec.json.Decoder(_Line)
_numbered = msgspec.json.Decoder(_Numbered)
_number = msgspec.json.Decoder[int](Count)
