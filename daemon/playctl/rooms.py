"""Commands about rooms: say, receipts."""

from __future__ import annotations

import getpass

import click

from daemon.control import wire
from daemon.playctl import show
from daemon.playctl.invocation import Invocation, as_json, pass_invocation, seat_argument


@click.command()
@seat_argument()
@click.argument("text", nargs=-1, required=True)
@click.option("--from", "speaker", help="Who says it; your user name where not given.")
@click.option("--room", help="The room that you speak for.")
@as_json
@pass_invocation
def say(
    invocation: Invocation,
    seat: str,
    text: tuple[str, ...],
    speaker: str | None,
    room: str | None,
    as_json: bool,
) -> None:
    """Say something to the player in a seat.

    It is shown as something that a person said; the player weighs it and obeys nothing.

    \b
    Example:
      playctl say red there is a potion behind the fence
    """
    words = " ".join(text)
    if not words.strip():
        raise click.UsageError("nothing is said: give a text")
    done = invocation.ask(
        "say",
        wire.SayParams(seat=seat, text=words, speaker=(speaker or user_name())[:64], room=room),
        wire.SayResult,
    )
    if as_json:
        show.document(done)
    else:
        show.tell(f"{done.seat} has it.")


@click.command()
@click.option("--room", help="Deliveries to this room alone.")
@click.option("--seat", help="Deliveries of this seat alone.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 500))
@as_json
@pass_invocation
def receipts(
    invocation: Invocation, room: str | None, seat: str | None, limit: int, as_json: bool
) -> None:
    """List what became of the words that were sent to rooms, newest first."""
    found = invocation.ask(
        "receipts",
        wire.ReceiptsParams(room=room, seat=seat, limit=limit),
        wire.ReceiptsResult,
    )
    if as_json:
        show.document(found)
        return
    show.table(
        ("AT", "ROOM", "SEAT", "OUTCOME", "DELIVERY", "DETAIL"),
        [
            (
                receipt.at,
                receipt.room,
                receipt.seat,
                receipt.outcome,
                receipt.delivery_id,
                show.one_line(receipt.detail),
            )
            for receipt in found.receipts
        ],
        "No receipts.",
    )
    if found.more:
        show.tell("There are more: raise --limit.")


def user_name() -> str:
    """The name of the user who runs this, or nothing where it has none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
