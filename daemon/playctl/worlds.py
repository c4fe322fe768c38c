"""Commands about local worlds: world check, world start, world stop."""

from __future__ import annotations

from typing import Literal

import click

from daemon.control import wire
from daemon.playctl import show
from daemon.playctl.client import WORLD
from daemon.playctl.exits import Exit, Trouble
from daemon.playctl.invocation import Invocation, as_json, pass_invocation, seat_argument


@click.group()
def world() -> None:
    """Check, start or stop the local world that a seat is in.

    Joining a seat never starts a world; this does.
    """


@world.command()
@seat_argument()
@as_json
@pass_invocation
def check(invocation: Invocation, seat: str, as_json: bool) -> None:
    """See whether the world can be reached, without taking a seat."""
    found = _do(invocation, seat, "check", as_json)
    if found.state != "healthy":
        raise Trouble(
            Exit.WORLD,
            f"{found.world} is {found.state}",
            f"To start it: playctl world start {seat}",
        )


@world.command()
@seat_argument()
@as_json
@pass_invocation
def start(invocation: Invocation, seat: str, as_json: bool) -> None:
    """Start the world unless it is healthy already, and wait until it is."""
    found = _do(invocation, seat, "start", as_json)
    if found.state != "healthy":
        raise Trouble(
            Exit.WORLD,
            f"{found.world} did not become healthy",
            f"Its log: {found.log}" if found.log else "",
        )


@world.command()
@seat_argument()
@as_json
@pass_invocation
def stop(invocation: Invocation, seat: str, as_json: bool) -> None:
    """Stop a world that playd started."""
    _do(invocation, seat, "stop", as_json)


def _do(
    invocation: Invocation, seat: str, action: Literal["check", "start", "stop"], as_json: bool
) -> wire.WorldResult:
    found = invocation.ask(
        "world", wire.WorldParams(seat=seat, action=action), wire.WorldResult, WORLD
    )
    if as_json:
        show.document(found)
    else:
        pid = f", pid {found.pid}" if found.pid is not None else ""
        how = ", started now" if found.started else ""
        show.tell(f"{found.world}: {found.state}{how}{pid}. {found.detail}".strip())
    return found
