"""Commands about journals: evaluate, story, list, show, tail, verify, report.

They read files and ask no daemon.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from daemon.plain_text import plain
from daemon.playctl import show as showing
from daemon.playctl.exits import Exit, Trouble
from daemon.playctl.invocation import as_json

if TYPE_CHECKING:
    from kernel.journal.damage import JournalError
    from kernel.journal.evaluation.evaluate import Evaluated
    from kernel.journal.following import GrowingJournal
    from kernel.journal.projection import JournalReading
    from kernel.journal.reader import Value
    from kernel.journal.recorded import RecordedTurn
    from kernel.journal.verify import Finding

_file = click.Path(path_type=Path)
_journal_file = click.argument("file", type=_file)
_directory = click.option(
    "-d",
    "--directory",
    type=_file,
    help="Where the journals lie, instead of the state directory's `journals`.",
)


@click.group()
def journal() -> None:
    """Read journals: what was played, exactly as it was written."""


@journal.command()
@click.argument("files", type=_file, nargs=-1, required=True)
@click.option("--events", type=_file, help="The daemon's events.jsonl, for how a run ended.")
@click.option("--voice-receipts", type=_file, help="Receipts of what was spoken.")
@as_json
def evaluate(
    files: tuple[Path, ...], events: Path | None, voice_receipts: Path | None, as_json: bool
) -> None:
    """Judge how runs were played: verdicts for each turn, and their counts.

    With several FILES, or a directory of them, runs are compared side by side.
    """
    from kernel.journal.damage import JournalError
    from kernel.journal.evaluation.comparison import compared
    from kernel.journal.evaluation.evaluate import evaluate as evaluate_run
    from kernel.journal.evaluation.side_logs import LifecycleEvents, Receipts
    from kernel.journal.evaluation.telling import COMPARISON, tell, tell_comparison

    with _told():
        lifecycle, receipts = LifecycleEvents(), Receipts()
        if events is not None:
            lifecycle.read(events)
        if voice_receipts is not None:
            receipts.read(voice_receipts)
        if len(files) == 1 and not files[0].is_dir():
            run = evaluate_run(files[0], _reading, lifecycle, receipts)
            if as_json:
                showing.document(run.evaluation)
            else:
                click.echo(plain(tell(run)))
            return
        paths = _journals_of(files)
    runs: list[tuple[Path, Evaluated]] = []
    bad: list[JournalError] = []
    for path in paths:
        try:
            runs.append((path, evaluate_run(path, _reading, lifecycle, receipts)))
        except JournalError as error:
            bad.append(error)
    rows = [compared(path, run) for path, run in runs]
    if as_json:
        evaluations = tuple(run.evaluation for _, run in runs)
        showing.document(
            {"schemaVersion": 1, "comparison": rows, "runs": evaluations, "bad": _names(bad)}
        )
    else:
        showing.table(COMPARISON, tell_comparison(rows), "No journal could be read.")
    _warn(bad)
    if bad and (not runs or any(not file.is_dir() for file in files)):
        raise Trouble(Exit.BAD, f"{len(bad)} of {len(paths)} journals could not be read")


@journal.command()
@click.argument("file", type=_file, required=False)
@click.option("--journey", metavar="ID", help="Which journey, when the directory has several.")
@_directory
@as_json
def story(file: Path | None, journey: str | None, directory: Path | None, as_json: bool) -> None:
    """Tell the story of a journey over all its runs, on one card.

    With FILE, of the journey that this run belongs to.
    """
    _tell_story(file, journey, directory, as_json)


@journal.command()
@click.argument("file", type=_file, required=False)
@click.option("--journey", metavar="ID", help="Which journey, when the directory has several.")
@_directory
@as_json
def recall(file: Path | None, journey: str | None, directory: Path | None, as_json: bool) -> None:
    """The same as `story`, without asking a daemon as `playctl recall` does."""
    _tell_story(file, journey, directory, as_json)


@journal.command("list")
@_directory
@click.option("--journey", metavar="ID", help="Only runs of this journey.")
@click.option("--seat", help="Only runs of this seat, by the events.jsonl beside the journals.")
@click.option("--outcome", help="Only runs that ended so, by their summary.")
@click.option("--since", type=click.DateTime(), help="Only runs that started then or later, UTC.")
@click.option("--until", type=click.DateTime(), help="Only runs that started before, UTC.")
@as_json
def list_(
    directory: Path | None,
    journey: str | None,
    seat: str | None,
    outcome: str | None,
    since: datetime | None,
    until: datetime | None,
    as_json: bool,
) -> None:
    """List runs, newest first, without reading whole files."""
    from kernel.journal.listing import Wanted, list_runs

    where = directory or _journals()
    with _told():
        found = list_runs(
            where,
            Wanted(
                journey=journey,
                runs=None if seat is None else _runs_of_seat(where, seat),
                since=_utc(since),
                until=_utc(until),
                outcome=outcome,
            ),
        )
    if as_json:
        showing.document({"runs": found.runs, "bad": _names(found.bad)})
    else:
        showing.table(
            ("STARTED", "RUN", "ENVIRONMENT", "TURNS>", "ENDED", "SIZE>", "FILE"),
            [
                (
                    run.started_at,
                    run.run_id or "–",
                    run.environment_id or "–",
                    "–" if run.turns is None else f"{run.turns:,}",
                    (run.outcome or "no summary") + (", torn tail" if run.torn else ""),
                    f"{run.bytes / 1024:,.0f} KiB",
                    run.path,
                )
                for run in found.runs
            ],
            f"No such run in {where}.",
        )
    _warn(found.bad)


@journal.command()
@_journal_file
@click.argument("turns", required=False)
@as_json
def show(file: Path, turns: str | None, as_json: bool) -> None:
    """Show turns in full: TURNS is a number, a range such as 10-20 or 10-, or left out for the
    last turn. With --json, each as a line of JSON."""
    from kernel.journal.evaluation.evaluate import judge_of
    from kernel.journal.inspection import Inspection
    from kernel.journal.reader import reading_for
    from kernel.journal.run import RunWalk
    from kernel.journal.showing import turn_opened

    first, last = _range(turns)
    shown = 0
    with _told():
        walk = RunWalk(file, _reading)
        latest: RecordedTurn | None = None

        def tell(turn: RecordedTurn) -> None:
            assert walk.header is not None
            reading = reading_for(walk.header, _reading)
            judgement = judge_of(walk, _reading)(turn)
            inspection = Inspection() if reading is None else reading.inspect(turn)
            if as_json:
                shown_as = (turn.turn, judgement, inspection, turn.recovered)
                showing.json_line(dict(zip(_SHOWN, shown_as, strict=True)))
            else:
                click.echo(plain(turn_opened(turn, judgement, inspection)) + "\n")

        for turn in walk.turns():
            latest = turn
            if turns is not None and first <= turn.turn.turn <= last:
                tell(turn)
                shown += 1
        if turns is None and latest is not None:
            tell(latest)
            shown = 1
        if not as_json and walk.torn is not None and not walk.torn.whole:
            click.echo(f"torn tail: line {walk.torn.line}, {walk.torn.bytes} bytes", err=True)
    if shown == 0:
        raise Trouble(Exit.BAD, f"{file} has no such turn", "See: playctl journal list")


@journal.command()
@_journal_file
@click.option(
    "-f", "--follow", is_flag=True, help="Go on with what is written, until the run ends."
)
@click.option("-n", "--lines", default=10, show_default=True, type=click.IntRange(0, 100_000))
def tail(file: Path, follow: bool, lines: int) -> None:
    """Show the last turns of a run, a line for each, and with -f those to come."""
    from kernel.journal.following import GrowingJournal
    from kernel.journal.lines import SummaryLine

    with _told():
        growing = GrowingJournal(file, _reading)
        last: deque[str] = deque(maxlen=lines)
        ended = False
        for entry in growing.news():
            ended = isinstance(entry.value, SummaryLine)
            if (line := _in_a_line(growing, entry.value)) is not None:
                last.append(line)
        for line in last:
            click.echo(line)
        while follow and not ended:
            try:
                # Nothing tells a reader of a file that it grew, short of another dependency.
                time.sleep(_LOOK_EVERY)
            except KeyboardInterrupt:
                return
            for entry in growing.news():
                ended = isinstance(entry.value, SummaryLine)
                if (line := _in_a_line(growing, entry.value)) is not None:
                    click.echo(line)


@journal.command()
@click.argument("files", type=_file, nargs=-1, required=True)
@as_json
def verify(files: tuple[Path, ...], as_json: bool) -> None:
    """Check that journals are what was written; exit code 1 when one is not.

    Checked are every line, their order and numbering, the envelope, the sealed evidence windows and
    the pictures beside the journal.
    """
    from kernel.journal.damage import JournalUnreadable
    from kernel.journal.verify import Finding
    from kernel.journal.verify import verify as findings_of

    with _told():
        paths = _journals_of(files)
    found: list[_Verified] = []
    for path in paths:
        try:
            findings = findings_of(path, _reading)
        except JournalUnreadable as error:
            findings = [Finding(1, str(error))]
        found.append(_Verified(str(path), not findings, tuple(map(_Found.of, findings))))
        if not as_json:
            for finding in findings:
                click.echo(plain(f"{path}: {finding}"))
            if not findings:
                click.echo(plain(f"{path} is whole."))
    if as_json:
        showing.document(found[0] if len(found) == 1 else found)
    if bad := [one.file for one in found if not one.good]:
        raise Trouble(Exit.BAD, f"{len(bad)} of {len(found)} journals are not what was written")


@journal.command()
@_journal_file
@click.option("-o", "--output", type=_file, required=True, help="The page to write.")
@click.option("--events", type=_file, help="The daemon's events.jsonl, for how the run ended.")
@click.option("--voice-receipts", type=_file, help="Receipts of what was spoken.")
def report(file: Path, output: Path, events: Path | None, voice_receipts: Path | None) -> None:
    """Write a run as one page for a browser; it needs no network and nothing beside it."""
    from kernel.journal.evaluation.side_logs import LifecycleEvents, Receipts
    from kernel.journal.report.page import report_page

    with _told():
        lifecycle, receipts = LifecycleEvents(), Receipts()
        if events is not None:
            lifecycle.read(events)
        if voice_receipts is not None:
            receipts.read(voice_receipts)
        page = report_page(file, _reading, lifecycle, receipts)
    try:
        output.write_text(page, encoding="utf-8")
    except OSError as error:
        raise Trouble(Exit.BAD, f"cannot write {output}: {error.strerror}") from error
    click.echo(f"{output}: {len(page.encode()) / 1024:,.0f} KiB")


class _Found(msgspec.Struct, frozen=True, rename="camel"):
    line: int
    last_line: int | None
    field: str
    problem: str

    @classmethod
    def of(cls, finding: Finding) -> _Found:
        return cls(finding.line, finding.last_line, finding.field, finding.problem)


class _Verified(msgspec.Struct, frozen=True, rename="camel"):
    file: str
    good: bool
    findings: tuple[_Found, ...]


_SHOWN = ("turn", "judgement", "inspection", "recovered")
"""The keys of a turn in `show --json`."""

_LOOK_EVERY = 0.2
"""Seconds."""


@cache
def _reading(environment_id: str) -> JournalReading | None:
    from kernel.bodies import body_of_environment

    kind = body_of_environment(environment_id)
    return None if kind is None else kind.reading()


def _journals() -> Path:
    from config.places import state_directory
    from config.settings import Settings

    return state_directory(Settings(), os.environ) / "journals"


def _journals_of(files: Iterable[Path]) -> list[Path]:
    """The files, and those in the directories among them. Raises Trouble when there is none."""
    from kernel.journal.memory import journals_in

    paths = [path for file in files for path in (journals_in(file) if file.is_dir() else [file])]
    if not paths:
        raise Trouble(Exit.BAD, f"no journal in {', '.join(map(str, files))}")
    return paths


def _tell_story(
    file: Path | None, journey: str | None, directory: Path | None, as_json: bool
) -> None:
    from kernel.journal.memory import read_header
    from kernel.journal.story import journey_story, journeys_in, story_of, tell_story

    with _told():
        where = directory or (file.parent if file is not None else _journals())
        if file is not None and journey is None:
            header = read_header(file)
            journey = (header.journey_id or None) if header else None
        if file is not None and journey is None:
            told = story_of((file,), _reading)
        else:
            told = journey_story(where, journey or _only(journeys_in(where), where), _reading)
    _warn(told.bad)
    if told.story is None:
        raise Trouble(Exit.BAD, f"nothing was played of this journey in {where}")
    if as_json:
        showing.document(told.story)
    else:
        click.echo(plain(tell_story(told.story)))


def _only(journeys: tuple[str, ...], where: Path) -> str:
    if not journeys:
        raise Trouble(Exit.BAD, f"no journey in {where}", "Name the folder with --directory.")
    if len(journeys) != 1:
        raise Trouble(
            Exit.USAGE,
            f"{where} has {len(journeys)} journeys: {', '.join(journeys)}",
            "Use --journey.",
        )
    return journeys[0]


def _runs_of_seat(journals: Path, seat: str) -> frozenset[str]:
    from kernel.journal.evaluation.side_logs import LifecycleEvents

    events = LifecycleEvents()
    for path in sorted(journals.parent.glob("events.jsonl*"), reverse=True):
        events.read(path)
    return events.runs_of_seat(seat)


def _in_a_line(growing: GrowingJournal, value: Value) -> str | None:
    from kernel.journal.evaluation.verdicts import Judgement
    from kernel.journal.recorded import RecordedTurn
    from kernel.journal.showing import line_of, turn_in_a_line

    if isinstance(value, RecordedTurn):
        judgement = Judgement() if growing.reading is None else growing.reading.judge(value)
        line = turn_in_a_line(value, judgement)
    else:
        line = line_of(value)
    return None if line is None else showing.one_line(line, 400)


def _range(turns: str | None) -> tuple[int, float]:
    if turns is None:
        return 0, inf
    first, dash, last = turns.partition("-")
    try:
        start = int(first)
        return start, (int(last) if last else inf) if dash else start
    except ValueError:
        raise click.BadParameter(f"{turns!r} is no turn and no range", param_hint="TURNS") from None


def _utc(moment: datetime | None) -> str | None:
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%S")


@contextmanager
def _told() -> Generator[None]:
    """Ends the command with one line when a journal cannot be read."""
    from kernel.journal.damage import JournalError

    try:
        yield
    except JournalError as error:
        raise Trouble(Exit.BAD, plain(str(error))) from error


def _warn(bad: Iterable[JournalError]) -> None:
    for error in bad:
        click.echo(plain(f"playctl: {error}"), err=True)


def _names(bad: Iterable[JournalError]) -> list[str]:
    return [str(error) for error in bad]
