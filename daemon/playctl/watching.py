"""The command that follows play: watch, as a live view, as lines, or as JSON lines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager

import click

from daemon.control import wire
from daemon.playctl import show
from daemon.playctl.invocation import Invocation, pass_invocation, seat_argument


@click.command()
@seat_argument(required=False)
@click.option("--room", help="Follow what a room is told instead of a seat.")
@click.option("--plain", "lines", is_flag=True, help="A line a turn, also on a terminal.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, as they come.")
@click.option("--until-end", is_flag=True, help="Return when the seat plays no longer.")
@pass_invocation
def watch(
    invocation: Invocation,
    seat: str | None,
    room: str | None,
    lines: bool,
    as_json: bool,
    until_end: bool,
) -> None:
    """Follow a seat, or every seat, while it plays. Ctrl-C ends the watching, not the play.

    A seat on a terminal is drawn as a live picture; without a seat, or in a pipe, there are lines.

    \b
    Examples:
      playctl watch red
      playctl watch --plain
      playctl watch red --json | jq 'select(.kind == "turn").card.effect'
    """
    if until_end and seat is None:
        raise click.UsageError("--until-end is about one seat: name it")
    with invocation.client() as client:
        events = client.follow(wire.WatchParams(seat=seat, room=room))
        if until_end:
            events = _until_it_ends(events)
        try:
            if as_json:
                for event in events:
                    show.json_line(event)
            else:
                live = seat is not None and not lines and sys.stdout.isatty()
                with drawn(live=live, leaves_line=True) as draw:
                    for event in events:
                        draw(event)
        except KeyboardInterrupt:
            return


def _until_it_ends(events: Iterable[wire.Event]) -> Iterator[wire.Event]:
    """The events up to the one after which nothing of the seat runs or will by itself."""
    for event in events:
        yield event
        if isinstance(event, wire.SeatChanged) and event.seat.at_rest:
            return


@contextmanager
def drawn(*, live: bool, leaves_line: bool = False) -> Generator[Callable[[wire.Event], None]]:
    """Draws each event as it is given: in one live picture, or a line where it is worth one.

    With `leaves_line` the picture leaves a line; else the caller tells how it ended.
    """
    if not live:
        yield _Lines().print
        return
    from rich.live import Live

    from daemon.playctl.picture import Picture

    picture = Picture()
    screen = Live(picture.draw(), console=show.console(), auto_refresh=False, screen=True)

    def draw(event: wire.Event) -> None:
        picture.take(event)
        screen.update(picture.draw(), refresh=True)

    try:
        with screen:
            yield draw
    finally:
        # The picture was on a screen of its own, which is gone: Ctrl-C too leaves what it was.
        if leaves_line and (last := picture.last_line()):
            show.tell(last)


def line_of(event: wire.Event) -> str | None:
    """The event on one line, or None where it is not worth one."""
    match event:
        case wire.SeatChanged(seat=seat):
            doing = show.one_line(seat.detail, 200)
            return f"{seat.seat}  {seat.state}{': ' if doing else ''}{doing}"
        case wire.TurnEnded(card=card):
            action = show.one_line(card.action or "-", 60)
            effect = show.one_line(card.effect or card.outcome, 160)
            return f"{event.seat}  turn {card.turn}  {action} → {effect}"
        case wire.NotableRaised():
            detail = show.one_line(event.detail, 200)
            return f"{event.seat}  notable: {event.notable.replace('_', ' ')}: {detail}"
        case wire.Spoken():
            return f"{event.seat}  {event.speech}: {show.one_line(event.text, 400)}"
        case wire.Lost():
            return f"({event.count} events were lost: this terminal reads too slowly)"
        case wire.Watching() | wire.PhaseChanged():
            return None


class _Lines:
    """Prints what is worth a line; of a seat's state only what was not told yet."""

    def __init__(self) -> None:
        self._told: dict[str, wire.SeatView] = {}

    def print(self, event: wire.Event) -> None:
        if isinstance(event, wire.SeatChanged) and self._is_told(event.seat):
            return
        if (line := line_of(event)) is not None:
            show.tell(line)

    def _is_told(self, seat: wire.SeatView) -> bool:
        told = self._told.get(seat.seat)
        if told is not None and told.state == seat.state and seat.detail in told.detail:
            return True
        self._told[seat.seat] = seat
        return False
