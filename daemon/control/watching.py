"""The verb that streams: watch."""

from __future__ import annotations

from daemon.control import wire
from daemon.control.asking import Asking, Send, Stream
from daemon.control.fitting import brief_seats
from daemon.control.grants import Permissions
from daemon.control.peers import Caller
from daemon.refusal import Refusal, no_such_room, no_such_seat


async def watch(asking: Asking, params: wire.WatchParams, send: Send) -> None:
    """Sends what happens in a seat, in a room, or wherever the caller may look.

    Every event is sent under the permissions of that moment, so a reload that takes a grant away
    ends what the stream shows.
    """
    _check(asking, params)

    def pass_on(event: wire.Event) -> None:
        if _concerns(event, params) and _may_see(
            event, params, asking.permissions(), asking.caller
        ):
            send(_brief(event))

    if params.room is not None:
        await asking.deliveries.follow(params.room, pass_on)
    else:
        await asking.supervision.watch(asking.caller, pass_on)


def _check(asking: Asking, params: wire.WatchParams) -> None:
    settings = asking.supervision.settings
    if params.seat is not None and params.room is not None:
        raise Refusal("bad_params", "watch follows a seat or a room", "Name one of them.")
    if params.seat is not None and params.seat not in settings.seats:
        raise no_such_seat(params.seat)
    if params.room is not None and params.room not in settings.rooms:
        raise no_such_room(params.room, settings.rooms)


def _concerns(event: wire.Event, params: wire.WatchParams) -> bool:
    match event:
        case wire.Watching() | wire.Lost():
            return True
        case _ if params.room is not None:
            return True  # the room's own stream
        case wire.SeatChanged():
            return params.seat in (None, event.seat.seat)
        case _:
            return params.seat in (None, event.seat)


def _may_see(
    event: wire.Event, params: wire.WatchParams, permissions: Permissions, caller: Caller
) -> bool:
    match event:
        case wire.Watching() | wire.Lost():
            return True
        case _ if params.room is not None:
            return permissions.speak_for(caller, params.room)
        case wire.SeatChanged():
            return permissions.allow(caller, "watch", event.seat.seat)
        case _:
            return permissions.allow(caller, "watch", event.seat)


def _brief(event: wire.Event) -> wire.Event:
    if isinstance(event, wire.SeatChanged):
        return wire.SeatChanged(seat=brief_seats([event.seat])[0])
    return event


def _may_watch(permissions: Permissions, caller: Caller, params: wire.WatchParams) -> bool:
    if params.room is not None:
        return permissions.speak_for(caller, params.room)
    return permissions.allow(caller, "watch", params.seat)


STREAMS = (Stream("watch", wire.WatchParams, _may_watch, watch),)
