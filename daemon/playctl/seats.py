"""Commands about seats: status, seats, reset, recover."""

from __future__ import annotations

from typing import TypeVar

import click
import msgspec

from daemon.control import wire
from daemon.playctl import show
from daemon.playctl.client import ENDING
from daemon.playctl.invocation import Invocation, as_json, pass_invocation, seat_argument

R = TypeVar("R", wire.StatusResult, wire.SeatsResult)


@click.command()
@seat_argument(required=False)
@as_json
@pass_invocation
def status(invocation: Invocation, seat: str | None, as_json: bool) -> None:
    """Show the daemon and what every seat does now.

    \b
    Examples:
      playctl status
      playctl status red
      playctl status --json | jq '.seats[] | select(.state == "failed")'
    """
    with invocation.client() as client:
        found = client.ask("status", wire.StatusParams(seat=seat), wire.StatusResult)
        while found.more and found.seats:
            after = wire.StatusParams(seat=seat, after=found.seats[-1].seat)
            found = _joined(found, client.ask("status", after, wire.StatusResult))
    if as_json:
        show.document(found)
        return
    show.tell(
        f"playd {found.version}, pid {found.pid}, up {show.duration(found.uptime)}"
        + (", draining" if found.draining else "")
    )
    if found.configuration_error is not None:
        show.tell("The last reload kept the old configuration:")
        for line in found.configuration_error.splitlines():
            show.tell(f"  {line}")
    for problem in found.problems:
        show.tell(f"! {problem}")
    show.table(
        ("SEAT", "STATE", "TURNS>", "TOKENS>", "COST>", "NOW"),
        [_row(seat) for seat in found.seats],
        _NO_SEATS,
    )


@click.command()
@as_json
@pass_invocation
def seats(invocation: Invocation, as_json: bool) -> None:
    """List the configured seats."""
    with invocation.client() as client:
        found = client.ask("seats", wire.SeatsParams(), wire.SeatsResult)
        while found.more and found.seats:
            after = wire.SeatsParams(after=found.seats[-1].seat)
            found = _joined(found, client.ask("seats", after, wire.SeatsResult))
    if as_json:
        show.document(found)
        return
    show.table(
        ("SEAT", "GAME", "MODEL", "ROOM", "WORLD", "STATE"),
        [
            (seat.seat, seat.game, seat.model, seat.room or "-", seat.world or "-", seat.state)
            for seat in found.seats
        ],
        _NO_SEATS,
    )


@click.command()
@seat_argument()
@as_json
@pass_invocation
def reset(invocation: Invocation, seat: str, as_json: bool) -> None:
    """Let a seat play again that failed too often.

    It does not start playing by itself: join it afterwards.
    """
    done = invocation.ask("reset", wire.ResetParams(seat=seat), wire.ResetResult)
    if as_json:
        show.document(done)
    else:
        what = "may play again" if done.had_failed else "had not failed"
        next_step = f" To play: playctl join {done.seat}" if done.state == "idle" else ""
        show.tell(f"{done.seat} {what}; it is {done.state.replace('_', ' ')}.{next_step}")


@click.command()
@seat_argument()
@click.option("--force", is_flag=True, help="Your word that nobody plays there; owner and root.")
@as_json
@pass_invocation
def recover(invocation: Invocation, seat: str, force: bool, as_json: bool) -> None:
    """Settle a seat whose last leave the world did not confirm.

    The world is asked whether the player is still in, and told to let it go. With --force nothing
    is asked: use it when you know that no player of this seat is left in the world.
    """
    done = invocation.ask(
        "recover", wire.RecoverParams(seat=seat, force=force), wire.RecoverResult, ENDING
    )
    if as_json:
        show.document(done)
    else:
        show.tell(f"{done.seat}: {done.outcome.replace('_', ' ')}. {done.detail}".strip())


_NO_SEATS = "No seats. Add one to the configuration, then: playctl reload"


def _joined(first: R, rest: R) -> R:
    return msgspec.structs.replace(first, seats=(*first.seats, *rest.seats), more=rest.more)


def _row(seat: wire.SeatView) -> tuple[str, ...]:
    session = seat.session
    return (
        seat.seat,
        seat.state,
        "-" if session is None else f"{session.turns_taken:,}",
        show.used_tokens(session.budget if session else None),
        show.used_cost(session.budget if session else None),
        show.one_line(show.seat_state(seat)),
    )
