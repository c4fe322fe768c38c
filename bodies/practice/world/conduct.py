"""Conduct: a request becomes a reply, and whatever is to go wrong with it goes wrong here."""

from collections.abc import Callable

import msgspec
import trio

from bodies.practice.world import operations, wire
from bodies.practice.world.chronicle import Misbehaved
from bodies.practice.world.country import SceneName
from bodies.practice.world.host import Host
from bodies.practice.world.misbehaviour import Misdeed
from bodies.practice.world.moment import now
from bodies.practice.world.operations import Call
from bodies.practice.world.seats import Seat
from bodies.practice.world.wire import RefusalCode, Refused
from kernel.undecodable import UNDECODABLE

MESSAGE_LIMIT = 4 * 1024 * 1024


class Hangup(Exception):
    """The connection ends now: with a websocket close code, or cut without a word (None)."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


class Silence(Exception):
    """The connection stays open and says nothing any more."""


async def reply(
    host: Host, data: str | bytes, *, is_local: bool, attach: Callable[[Seat], None]
) -> bytes:
    """The bytes to send back. `attach` is called with the seat that the connection drives.

    Raises Hangup or Silence on request. Waits for an action, and as long as it was asked to stall.
    """
    try:
        request = msgspec.json.decode(data, type=wire.Request)
    except UNDECODABLE as error:
        refusal = wire.RefusalAnswer(code="invalid_input", message=str(error)[:300])
        return wire.encoded(refusal, **_id_of(data))
    extra = {} if request.id is None else {"id": request.id}
    misdeeds = host.mischief.due(request.operation)
    call = Call(host, request, is_local, misdeeds)
    seat = _seat_of(call)
    try:
        for misdeed in misdeeds:
            _record(call, seat, misdeed)
            await _before(host, seat, misdeed)
        answer, seat = await operations.perform(call)
    except Refused as refused:
        retry = msgspec.UNSET if refused.retry_after_ms is None else refused.retry_after_ms
        refusal = wire.RefusalAnswer(
            code=refused.code, message=refused.message, retry_after_ms=retry
        )
        return wire.encoded(refusal, **extra)
    if seat is not None and seat.ended is None:
        attach(seat)
    body = wire.encoded(answer, **extra)
    for misdeed in misdeeds:
        body = await _after(host, seat, misdeed, body)
    return body


async def _before(host: Host, seat: Seat | None, misdeed: Misdeed) -> None:
    match misdeed.kind:
        case "drop-before":
            raise Hangup(None)
        case "close":
            raise Hangup(None if misdeed.argument == "1006" else int(misdeed.argument))
        case "end" if seat is not None:
            host.end(seat, "ended")
        case "takeover" if seat is not None:
            host.end(seat, "taken_over")
        case "refuse":
            name, _, milliseconds = misdeed.argument.partition("/")
            code = msgspec.convert(name, RefusalCode)
            raise Refused(code, "The world was asked to refuse.", int(milliseconds or 0) or None)
        case "stall":
            await trio.sleep(float(misdeed.argument))
        case "replace-body" if seat is not None:
            host.catch_up()
            host.country.replace_body(seat.player_id)
        case "mute":
            raise Silence
        case _:
            pass


async def _after(host: Host, seat: Seat | None, misdeed: Misdeed, body: bytes) -> bytes:
    match misdeed.kind:
        case "drop-after":
            raise Hangup(None)
        case "late":
            await trio.sleep(float(misdeed.argument))
        case "garbage":
            return b'{"id": 1, "ok": tr\xc3\xbce, '
        case "oversize":
            return body[:-1] + b',"padding":"' + b"x" * MESSAGE_LIMIT + b'"}'
        case "flip" if seat is not None and seat.ended is None:
            scene = msgspec.convert(misdeed.argument or "dialog", SceneName)
            host.country.show(seat.player_id, scene)
        case _:
            pass
    return body


def _seat_of(call: Call) -> Seat | None:
    if call.request.token is None:
        return None
    try:
        return call.host.seats.of_token(call.request.token)
    except Refused:
        return None


def _record(call: Call, seat: Seat | None, misdeed: Misdeed) -> None:
    call.host.chronicle.add(
        Misbehaved(
            at=now(),
            frame=call.host.country.frame,
            player_id=seat.player_id if seat else "",
            session_id=seat.session_id if seat else "",
            driver=seat.driver if seat else "",
            operation=call.request.operation,
            misdeed=f"{misdeed.kind}:{misdeed.argument}".rstrip(":"),
        )
    )


class _OnlyId(msgspec.Struct):
    id: int


def _id_of(data: str | bytes) -> dict[str, int | str]:
    try:
        return {"id": msgspec.json.decode(data, type=_OnlyId).id}
    except UNDECODABLE:
        return {}
