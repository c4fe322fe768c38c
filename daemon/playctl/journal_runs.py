"""Commands about whole runs: journal list, story, recall."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from daemon.lifecycle import Outcome
from daemon.plain_text import plain
from daemon.playctl import show as showing
from daemon.playctl.exits import Exit, Trouble
from daemon.playctl.invocation import as_json
from daemon.playctl.journal_files import (
    FILE,
    existing,
    in_directory,
    journals_directory,
    lifecycle,
    names,
    reading_of,
    told,
    warn,
)

if TYPE_CHECKING:
    from kernel.journal.listing import RunEntry

OUTCOMES = (*get_args(Outcome), "failed", "unknown")
"""How a run may have ended; `failed`: by an event that says no more."""


@click.command("list")
@in_directory
@click.option("--journey", metavar="ID", help="Only runs of this journey.")
@click.option("--seat", help="Only runs of this seat, by the events.jsonl beside the journals.")
@click.option(
    "--outcome",
    type=click.Choice(OUTCOMES),
    metavar="WORD",
    help="Only runs that ended so, such as `stopped`; `unknown`: nobody says.",
)
@click.option("--since", type=click.DateTime(), help="Only runs that started then or later, UTC.")
@click.option("--until", type=click.DateTime(), help="Only runs that started before, UTC.")
@as_json
def list_runs(
    directory: Path | None,
    journey: str | None,
    seat: str | None,
    outcome: str | None,
    since: datetime | None,
    until: datetime | None,
    as_json: bool,
) -> None:
    """List runs, newest first."""
    from kernel.journal.listing import Wanted
    from kernel.journal.listing import list_runs as runs_in

    where = existing(directory) if directory else journals_directory()
    events = lifecycle([where])
    with told():
        found = runs_in(
            where,
            Wanted(
                journey=journey,
                runs=None if seat is None else events.runs_of_seat(seat),
                since=_utc(since),
                until=_utc(until),
                outcome=outcome,
            ),
            events,
        )
    if as_json:
        showing.document({"runs": found.runs, "bad": names(found.bad)})
    else:
        showing.table(
            ("STARTED", "RUN", "ENVIRONMENT", "TURNS>", "ENDED", "SIZE>", "FILE"),
            [
                (
                    run.started_at,
                    run.run_id or "–",
                    run.environment_id or "–",
                    "–" if run.turns is None else f"{run.turns:,}",
                    _ended(run),
                    f"{run.bytes / 1024:,.0f} KiB",
                    run.path,
                )
                for run in found.runs
            ],
            f"No such run in {where}."
            + ("" if where.is_dir() else " There is no such directory: name one with -d."),
        )
    warn(found.bad)


@click.command()
@click.argument("file", type=FILE, required=False)
@click.option("--journey", metavar="ID", help="Which journey, when the directory has several.")
@in_directory
@as_json
def story(file: Path | None, journey: str | None, directory: Path | None, as_json: bool) -> None:
    """Tell a journey's story on one card.

    It spans all runs of the journey; with FILE, of the journey that this run belongs to. Its
    moments are the last 12 turns at which the player wanted to say something.
    """
    _tell_story(file, journey, directory, as_json)


@click.command()
@click.argument("file", type=FILE, required=False)
@click.option("--journey", metavar="ID", help="Which journey, when the directory has several.")
@in_directory
@as_json
def recall(file: Path | None, journey: str | None, directory: Path | None, as_json: bool) -> None:
    """Tell the same as `story`.

    Unlike `playctl recall` it needs no daemon.
    """
    _tell_story(file, journey, directory, as_json)


def _tell_story(
    file: Path | None, journey: str | None, directory: Path | None, as_json: bool
) -> None:
    from kernel.journal.memory import read_header
    from kernel.journal.story import journey_story, journeys_in, story_of, tell_story

    with told():
        where = existing(directory) if directory else file.parent if file else journals_directory()
        if file is not None and journey is None:
            header = read_header(file)
            journey = (header.journey_id or None) if header else None
        if file is not None and journey is None:
            found = story_of((file,), reading_of)
        else:
            found = journey_story(where, journey or _only(journeys_in(where), where), reading_of)
    warn(found.bad)
    if found.story is None:
        raise Trouble(Exit.BAD, f"nothing was played of this journey in {where}")
    if as_json:
        showing.document(found.story)
    else:
        click.echo(plain(tell_story(found.story)))


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


def _ended(run: RunEntry) -> str:
    """How a run ended: by its summary, else by the daemon's word."""
    how = run.outcome or "no summary"
    if run.told_by == "lifecycle":
        how += " (no summary)"
    return how + (", torn tail" if run.torn else "")


def _utc(moment: datetime | None) -> str | None:
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%S")
