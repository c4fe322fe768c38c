"""The verb of local worlds."""

from __future__ import annotations

from daemon.control import wire
from daemon.control.accounts import values_of
from daemon.control.asking import Asking, Verb, on_seat


async def world(asking: Asking, params: wire.WorldParams) -> wire.WorldResult:
    """Checks, starts or stops the world that the seat is in; takes no seat."""
    return await asking.supervision.world(asking.caller, params.seat, params.action)


def _account(params: wire.WorldParams) -> str | None:
    return None if params.action == "check" else values_of(params)


VERBS = (Verb("world", wire.WorldParams, on_seat("world"), world, _account),)
