"""Verbs of rooms: say, receipts.

A room's principals may speak for it and acknowledge its deliveries, by being named there. In a
sitting that has a room nobody else may speak; in one without, whoever is granted `say` on the seat.
"""

from __future__ import annotations

from daemon.control import wire
from daemon.control.accounts import words_of
from daemon.control.asking import Asking, Verb, not_authorized
from daemon.control.fitting import fit
from daemon.control.grants import Permissions
from daemon.control.peers import Caller
from daemon.refusal import Refusal


async def say(asking: Asking, params: wire.SayParams) -> wire.SayResult:
    """Hands a person's words to the session; answered once the session has them."""
    permissions = asking.permissions()
    granted = permissions.allow(asking.caller, "say", params.seat)
    try:
        room = await _room_of(asking, params.seat)
    except Refusal:
        if granted:
            raise
        raise not_authorized(asking.caller, "say") from None
    if room is None:
        allowed = granted
    else:
        allowed = params.room in (None, room) and permissions.speak_for(asking.caller, room)
    if not allowed:
        raise not_authorized(asking.caller, "say")
    return await asking.supervision.say(
        asking.caller, params.seat, params.text, params.speaker, params.room or room
    )


async def receipts(asking: Asking, params: wire.ReceiptsParams) -> wire.ReceiptsResult:
    """Reads receipts, or records what became of a delivery."""
    if params.acknowledge is not None:
        if params.room is None:
            raise Refusal(
                "bad_params",
                "an acknowledgement is by a room",
                'Name the room that got the delivery in "room".',
            )
        return await asking.deliveries.acknowledge(asking.caller, params.room, params.acknowledge)
    found = await asking.deliveries.receipts(asking.caller, params.room, params.seat, params.limit)
    permissions = asking.permissions()
    mine, more = fit(
        receipt
        for receipt in found.receipts
        if permissions.allow(asking.caller, "receipts", receipt.seat)
        or permissions.speak_for(asking.caller, receipt.room)
    )
    return wire.ReceiptsResult(receipts=mine, more=more or found.more)


async def _room_of(asking: Asking, seat: str) -> str | None:
    """The room of the seat's live sitting."""
    live = await asking.supervision.sessions(asking.caller, seat, False, 1)
    return live.sessions[0].room if live.sessions else None


def _may_say(permissions: Permissions, caller: Caller, params: wire.SayParams) -> bool:
    """Lets through whoever may speak somewhere; `say` looks at the sitting's own room."""
    if params.room is not None:
        return permissions.speak_for(caller, params.room)
    return permissions.allow(caller, "say", params.seat) or permissions.speak(caller)


def _may_read_receipts(
    permissions: Permissions, caller: Caller, params: wire.ReceiptsParams
) -> bool:
    if params.acknowledge is not None:
        return permissions.speak(caller) and (
            params.room is None or permissions.speak_for(caller, params.room)
        )
    if params.room is not None and permissions.speak_for(caller, params.room):
        return True
    return permissions.allow(caller, "receipts", params.seat)


VERBS = (
    Verb("say", wire.SayParams, _may_say, say, words_of),
    Verb("receipts", wire.ReceiptsParams, _may_read_receipts, receipts),
)
