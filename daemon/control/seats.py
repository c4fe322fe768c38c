"""Verbs of seats: status, seats, reset, recover."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from daemon.control import wire
from daemon.control.accounts import values_of
from daemon.control.asking import Asking, Verb, at_all, on_seat, on_some_seat
from daemon.control.fitting import brief_seats, fit
from daemon.control.grants import Permissions
from daemon.control.peers import Caller
from daemon.refusal import no_such_seat


async def status(asking: Asking, params: wire.StatusParams) -> wire.StatusResult:
    """The daemon, with the seats that the caller may ask about."""
    found = await asking.supervision.status(asking.caller)
    mine = _visible(asking, "status", found.seats, params.after)
    if params.seat is not None:
        mine = [seat for seat in mine if seat.seat == params.seat]
        if not mine:
            raise no_such_seat(params.seat)
    seats, more = fit(brief_seats(mine))
    return msgspec.structs.replace(found, seats=seats, more=more)


async def seats(asking: Asking, params: wire.SeatsParams) -> wire.SeatsResult:
    """The seats that the caller may list."""
    found = await asking.supervision.seats(asking.caller)
    listed, more = fit(brief_seats(_visible(asking, "seats", found.seats, params.after)))
    return wire.SeatsResult(seats=listed, more=more)


async def reset(asking: Asking, params: wire.ResetParams) -> wire.ResetResult:
    """Lets a failed seat play again."""
    return await asking.supervision.reset(asking.caller, params.seat)


async def recover(asking: Asking, params: wire.RecoverParams) -> wire.RecoverResult:
    """Settles an unconfirmed leave."""
    return await asking.supervision.recover(asking.caller, params.seat, params.force)


def _may_recover(permissions: Permissions, caller: Caller, params: wire.RecoverParams) -> bool:
    if params.force:
        return caller.owner
    return permissions.allow(caller, "recover", params.seat)


def _account_of_recover(params: wire.RecoverParams) -> str | None:
    """The forced one is a warning of its own."""
    return None if params.force else values_of(params)


def _visible(
    asking: Asking, verb: str, seats: Sequence[wire.SeatView], after: str | None
) -> list[wire.SeatView]:
    permissions = asking.permissions()
    return sorted(
        (
            seat
            for seat in seats
            if permissions.allow(asking.caller, verb, seat.seat)
            and (after is None or seat.seat > after)
        ),
        key=lambda seat: seat.seat,
    )


VERBS = (
    Verb("status", wire.StatusParams, on_some_seat("status"), status),
    Verb("seats", wire.SeatsParams, at_all("seats"), seats),
    Verb("reset", wire.ResetParams, on_seat("reset"), reset, values_of),
    Verb("recover", wire.RecoverParams, _may_recover, recover, _account_of_recover),
)
