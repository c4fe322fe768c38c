"""What every command of `playctl` shares: the socket, `--json`, and names of seats to complete."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from daemon.control import wire
from daemon.playctl.client import QUICK, Client, socket_paths
from daemon.playctl.exits import Trouble

R = TypeVar("R")
Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Invocation:
    """One run of `playctl`."""

    paths: Sequence[Path]

    def client(self) -> Client:
        """A connection to the daemon. Raises Trouble."""
        return Client(self.paths)

    def ask(self, verb: str, params: msgspec.Struct, result: type[R], seconds: float = QUICK) -> R:
        """One request on a connection of its own. Raises Trouble."""
        with self.client() as client:
            return client.ask(verb, params, result, seconds)


pass_invocation = click.make_pass_decorator(Invocation)
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def seat_argument(required: bool = True) -> Callable[[Command], Command]:
    """The argument SEAT, completed from the running daemon."""
    return click.argument("seat", required=required, shell_complete=_seats)


def _seats(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    given = context.find_root().params.get("socket")
    try:
        found = Invocation(socket_paths(given, os.environ)).ask(
            "seats", wire.SeatsParams(), wire.SeatsResult, seconds=1.0
        )
    except Trouble:
        return []
    return [seat.seat for seat in found.seats if seat.seat.startswith(typed)]
