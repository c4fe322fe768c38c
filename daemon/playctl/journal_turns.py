"""Commands about the turns of one run: journal show, tail."""

from __future__ import annotations

import time
from collections import deque
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.plain_text import plain
from daemon.playctl import show as showing
from daemon.playctl.exits import Exit, Trouble
from daemon.playctl.invocation import as_json
from daemon.playctl.journal_files import journal_file, reading_of, told

if TYPE_CHECKING:
    from kernel.journal.following import GrowingJournal
    from kernel.journal.reader import Value
    from kernel.journal.recorded import RecordedTurn


@click.command()
@journal_file
@click.argument("turns", required=False)
@as_json
def show(file: Path, turns: str | None, as_json: bool) -> None:
    """Show turns in full.

    TURNS is a number, a range such as 10-20 or 10-, or left out for the
    last turn. With --json, each as a line of JSON."""
    from kernel.journal.evaluation.evaluate import judge_of
    from kernel.journal.inspection import Inspection
    from kernel.journal.reader import reading_for
    from kernel.journal.run import RunWalk
    from kernel.journal.showing import turn_opened

    first, last = _range(turns)
    shown = 0
    with told():
        walk = RunWalk(file, reading_of)
        latest: RecordedTurn | None = None

        def tell(turn: RecordedTurn) -> None:
            assert walk.header is not None
            reading = reading_for(walk.header, reading_of)
            judgement = judge_of(walk, reading_of)(turn)
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
    if walk.header is None:
        raise Trouble(Exit.BAD, f"{file} is no journal: it has no whole line")
    if shown == 0:
        raise Trouble(Exit.BAD, f"{file} has no such turn", "See: playctl journal list")


@click.command()
@journal_file
@click.option(
    "-f", "--follow", is_flag=True, help="Go on with what is written, until the run ends."
)
@click.option("-n", "--lines", default=10, show_default=True, type=click.IntRange(0, 100_000))
def tail(file: Path, follow: bool, lines: int) -> None:
    """Show the last turns, a line for each."""
    from kernel.journal.following import GrowingJournal
    from kernel.journal.lines import SummaryLine

    with told():
        growing = GrowingJournal(file, reading_of)
        last: deque[str] = deque(maxlen=lines)
        ended = False
        for entry in growing.news():
            ended = ended or isinstance(entry.value, SummaryLine)
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
                ended = ended or isinstance(entry.value, SummaryLine)
                if (line := _in_a_line(growing, entry.value)) is not None:
                    click.echo(line)


_SHOWN = ("turn", "judgement", "inspection", "recovered")
"""The keys of a turn in `show --json`."""

_LOOK_EVERY = 0.2
"""Seconds."""


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
