"""What a run left behind, read by shapes of its own: no code is shared with what is judged."""

from __future__ import annotations

import math
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

LineT = TypeVar("LineT", bound="Line")


class Line(Struct, frozen=True, rename="camel", tag_field="kind", kw_only=True):
    """Any line of a journal."""

    at: str


class Ceilings(Struct, frozen=True):
    tokens: int | None = None


class Header(Line, frozen=True, rename="camel", tag="header", kw_only=True):
    run_id: str
    sitting_id: str
    journey_id: str
    driver_generation: int
    environment_session_id: str
    budget: Ceilings = Ceilings()


class TurnFacts(Struct, frozen=True):
    turn: int
    outcome: str


class Turn(Line, frozen=True, tag="turn", kw_only=True):
    turn: TurnFacts


class Decision(Line, frozen=True, rename="camel", tag="decision", kw_only=True):
    idempotency_key: str | None = None


class Action(Line, frozen=True, rename="camel", tag="action", kw_only=True):
    outcome: str
    idempotency_key: str | None = None


class Usage(Line, frozen=True, rename="camel", tag="usage", kw_only=True):
    call_id: str
    stage: str
    charged: int
    reported: bool
    input: int | None = None
    output: int | None = None
    cache_read: int | None = None


class Gap(Line, frozen=True, rename="camel", tag="journal_gap", kw_only=True):
    lost: int
    lost_kinds: tuple[str, ...]


class Summary(Line, frozen=True, rename="camel", tag="summary", kw_only=True):
    outcome: str
    turns_taken: int
    leave: str | None = None


class Notable(Line, frozen=True, tag="notable", kw_only=True):
    pass


class Transport(Line, frozen=True, tag="transport", kw_only=True):
    pass


class Seal(Line, frozen=True, tag="evidence_window", kw_only=True):
    pass


_LINES = msgspec.json.Decoder(
    Header
    | Turn
    | Decision
    | Action
    | Usage
    | Gap
    | Summary
    | Notable
    | Transport
    | Seal
)  # fmt: skip


@dataclass
class Journal:
    """One run's lines, a torn last one left out."""

    path: Path
    lines: list[Line]

    @cached_property
    def header(self) -> Header | None:
        return next((line for line in self.lines if isinstance(line, Header)), None)

    @cached_property
    def summary(self) -> Summary | None:
        return next((line for line in self.lines if isinstance(line, Summary)), None)

    @property
    def run_id(self) -> str:
        """The file's name is a stamp and the run id."""
        return self.path.stem.partition("-")[2]

    @cached_property
    def lost(self) -> dict[str, int]:
        """Lines that the journal itself says it lost: at most so many of each kind."""
        lost: dict[str, int] = {}
        for gap in self.of(Gap):
            for kind in gap.lost_kinds:
                lost[kind] = lost.get(kind, 0) + gap.lost
        return lost

    def of(self, kind: type[LineT]) -> Iterator[LineT]:
        """The lines of a kind."""
        return (line for line in self.lines if isinstance(line, kind))


class Call(Struct, frozen=True, rename="camel"):
    """One request as the model server counted it."""

    index: int
    at: str
    request: str
    outcome: str
    status: int | None
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    usage_reported: bool

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


class Told(Struct, frozen=True, rename="camel"):
    """What a session had told of its sitting's bill."""

    tokens: int


class Session(Struct, frozen=True):
    """One row of the state database."""

    session_id: str
    sitting_id: str
    seat: str
    generation: int
    state: str
    began_at: str
    outcome: str | None = None
    reason: str = ""
    leave: str | None = None
    turns_taken: int = 0
    budget: Told | None = None


@dataclass
class Evidence:
    """Everything that stands in a run's folder."""

    folder: Path
    journals: list[Journal]
    world: list[dict[str, Any]]
    motors: dict[str, list[dict[str, Any]]]
    """By seat."""
    calls: list[Call]
    events: list[dict[str, Any]]
    sessions: list[Session]
    leases: list[dict[str, Any]]
    verified: dict[str, list[str]]
    """By journal: what `playctl journal verify` found."""
    story: list[dict[str, Any]]
    watched: dict[str, Any]
    left: dict[str, Any]
    census: list[dict[str, Any]]
    answers: dict[str, list[int]]
    """Numbers of the model's answers that a seat's wire carried, by seat."""
    log: str
    _by_run: dict[str, Journal] = field(default_factory=dict[str, "Journal"])

    def __post_init__(self) -> None:
        self._by_run = {journal.run_id: journal for journal in self.journals}

    def journal_of(self, session_id: str) -> Journal | None:
        """A session's journal, if it came to have one."""
        return self._by_run.get(session_id)

    @cached_property
    def seat_of(self) -> dict[str, str]:
        """Seats by session."""
        return {session.session_id: session.seat for session in self.sessions}

    @cached_property
    def full_disk(self) -> list[tuple[float, float]]:
        """From when to when the state directory's disk had no space."""
        found: list[tuple[float, float]] = []
        began = 0.0
        for line in self.story:
            if line["what"] == "the disk is full":
                began = line["at"]
            elif line["what"] == "the disk has space again":
                found.append((began, line["at"]))
        return found

    @cached_property
    def _seen(self) -> dict[str, tuple[float, float]]:
        """When a session's processes were seen first and last."""
        seen: dict[str, tuple[float, float]] = {}
        for look in self.census:
            for session in look["sessions"]:
                seen[session] = (seen.get(session, (look["at"], 0))[0], look["at"])
        return seen

    def died_on_a_full_disk(self, run: str) -> tuple[float, float] | None:
        """The time in which a session had no space for lines, and ended before it had again."""
        journal = self.journal_of(run)
        if journal is not None and journal.summary is not None:
            return None
        lines = [] if journal is None else journal.lines
        first, last = self._seen.get(run, (0, math.inf))
        for began, over in self.full_disk:
            written_after = bool(lines) and moment(lines[-1].at) > over
            if first <= over and last >= began and not written_after:
                return began, over
        return None

    def was(self, fault: str) -> bool:
        """Whether a fault of this kind was part of the run."""
        return any(line.get("fault", {}).get("fault") == fault for line in self.story)


def read_evidence(folder: Path) -> Evidence:
    """Everything in the folder of a run that is over."""
    state = folder / "state"
    paths = sorted((state / "journals").glob("*.jsonl"))
    with closing(sqlite3.connect(f"file:{state / 'state.db'}?mode=ro", uri=True)) as database:
        rows = database.execute("SELECT record FROM sessions ORDER BY number").fetchall()
        leases = database.execute("SELECT record FROM leases").fetchall()
    return Evidence(
        folder=folder,
        journals=[_journal(path) for path in paths],
        world=list(_lines(folder / "world.jsonl")),
        motors={
            path.name.partition(".")[0]: list(_lines(path)) for path in folder.glob("*.motor.jsonl")
        },
        calls=[msgspec.convert(line, Call) for line in _lines(folder / "model.jsonl")],
        events=[
            line
            for path in sorted(state.glob("events.jsonl*"), reverse=True)
            for line in _lines(path)
        ],
        sessions=[msgspec.json.decode(row[0], type=Session) for row in rows],
        leases=[msgspec.json.decode(row[0]) for row in leases],
        verified=_verified(paths),
        story=list(_lines(folder / "story.jsonl")),
        watched=_document(folder / "watched.json"),
        left=_document(folder / "left.json"),
        census=_document(folder / "census.json"),
        answers=_document(folder / "answers.json"),
        log=(folder / "playd.log").read_text(),
    )


def moment(at: str) -> float:
    """Seconds since 1970."""
    return datetime.fromisoformat(at).timestamp()


def _journal(path: Path) -> Journal:
    whole = path.read_bytes().rpartition(b"\n")[0]
    return Journal(path, [_LINES.decode(line) for line in whole.splitlines()])


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    text = path.read_bytes() if path.exists() else b""
    return (msgspec.json.decode(line) for line in text.splitlines())


def _document(path: Path) -> Any:
    return msgspec.json.decode(path.read_bytes()) if path.exists() else {}


def _verified(paths: Iterable[Path]) -> dict[str, list[str]]:
    """By the command, as an operator would."""
    files = [str(path) for path in paths]
    told = subprocess.run(
        [sys.executable, "-m", "daemon.playctl", "journal", "verify", "--json", *files],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ).stdout
    found = msgspec.json.decode(told)
    return {
        one["file"]: [finding["problem"] for finding in one["findings"]]
        for one in (found if isinstance(found, list) else [found])
    }
