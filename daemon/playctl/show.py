"""How results are shown: one JSON document, or short text and tables for people.

rich is imported only where something is drawn; it colours on a terminal alone and heeds NO_COLOR.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
import msgspec

from daemon.control import wire
from daemon.plain_text import escaped, plain

if TYPE_CHECKING:
    from rich.console import Console

COLOURS = {
    "running": "green",
    "healthy": "green",
    "ok": "green",
    "starting": "cyan",
    "claimed": "cyan",
    "paused": "yellow",
    "stopping": "yellow",
    "restarting": "yellow",
    "pending": "yellow",
    "stale": "yellow",
    "recovery_required": "red",
    "failed": "red",
    "unreachable": "red",
    "bad": "red",
}


_UNCUT = 100_000
"""Characters; more than any line of a table has."""


def tell(text: str, *, err: bool = False) -> None:
    """Prints text for people, without what a terminal would obey."""
    click.echo(plain(text), err=err)


def document(result: object) -> None:
    """Prints a result as one JSON document."""
    click.echo(escaped(msgspec.json.format(msgspec.json.encode(result), indent=2).decode()))


def json_line(event: object) -> None:
    """Prints one item of a stream as a line of JSON."""
    click.echo(escaped(msgspec.json.encode(event).decode()))


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], empty: str) -> None:
    """Prints a table, or the sentence `empty` where there is no row.

    A cell that names a state has its colour; a column whose name ends in `>` stands to the right.
    On a terminal that is too narrow the last column is cut first; in a pipe nothing is.
    """
    if not rows:
        click.echo(empty)
        return
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        drawn.add_column(
            column.rstrip(">"),
            justify="right" if column.endswith(">") else "left",
            no_wrap=column is not columns[-1],
        )
    for row in rows:
        cells = (Text(plain(cell), COLOURS.get(cell, ""), no_wrap=True) for cell in row)
        drawn.add_row(*cells)
    screen = console()
    with screen.capture() as captured:
        screen.print(drawn)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())


def console() -> Console:
    """Where people's text is drawn: as wide as the terminal, and never cut in a pipe."""
    from rich.console import Console

    terminal = sys.stdout.isatty()
    return Console(width=None if terminal else _UNCUT, soft_wrap=not terminal)


def one_line(text: str, width: int | None = None) -> str:
    """The text on one line, of at most `width` characters where that is given."""
    joined = " ".join(plain(text).split())
    return joined if width is None or len(joined) <= width else joined[: width - 1] + "…"


def counted(number: int, noun: str) -> str:
    """`1 turn`, `2,000 turns`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def duration(seconds: float) -> str:
    """`42s`, `7m03s`, `2h14m`, `3d04h`."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02}s"
    if whole < 86400:
        return f"{whole // 3600}h{whole % 3600 // 60:02}m"
    return f"{whole // 86400}d{whole % 86400 // 3600:02}h"


def used_tokens(used: wire.BudgetUsed | None) -> str:
    """Tokens of the sitting against their ceiling."""
    if used is None:
        return "-"
    ceiling = "no ceiling" if used.token_ceiling is None else f"{used.token_ceiling:,}"
    return f"{used.tokens:,} / {ceiling}"


def used_cost(used: wire.BudgetUsed | None) -> str:
    """The estimated cost; an unknown one is never shown as 0 (K29)."""
    if used is None:
        return "-"
    cost = "unknown" if used.cost is None else f"~${used.cost:.4f}"
    return cost if used.cost_ceiling is None else f"{cost} / ${used.cost_ceiling:g}"


def seat_state(seat: wire.SeatView) -> str:
    """What a seat does or did last, in a few words."""
    session = seat.session
    if seat.state == "restarting" and seat.restart_in is not None:
        return f"in {duration(seat.restart_in)}: {seat.detail}"
    if seat.state == "recovery_required" and seat.restart_in is not None:
        return f"asks again in {duration(seat.restart_in)}: {seat.detail}"
    if session is None or seat.detail:
        return seat.detail
    if seat.state == "idle":
        why = f": {session.reason}" if session.reason else ""
        return f"last {session.outcome or session.state}{why}"
    return session.phase or ""
