"""What a room is sent: the player's words, an event to put into words, a notable."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from daemon.control import wire
from daemon.records import SessionRecord
from kernel.session.wire import Notable, Speech

DeliveryKind: TypeAlias = Literal["reply", "speak", "narration", "notable"]


class Delivery(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One delivery, as a webhook gets it in the body of its request."""

    delivery_id: str
    """Under which the room says what became of it."""
    kind: DeliveryKind
    room: str
    seat: str
    session_id: str
    at: str
    """UTC."""
    text: str
    """At most 2,000 characters; a narration event at most 512 (K27)."""
    turn: int | None = None
    """Of words and events."""
    notable: str | None = None
    """Which one (K32)."""


def delivery_of(message: Speech | Notable, session: SessionRecord, room: str, at: str) -> Delivery:
    """What a session's message is for the room."""
    match message:
        case Speech():
            return Delivery(
                delivery_id=message.id,
                kind=message.speech,
                room=room,
                seat=session.seat,
                session_id=session.session_id,
                at=at,
                text=message.text,
                turn=message.turn,
            )
        case Notable():
            return Delivery(
                # A session names its notables by their kind, which is the same in every session.
                delivery_id=f"{session.session_id}:{message.id}",
                kind="notable",
                room=room,
                seat=session.seat,
                session_id=session.session_id,
                at=at,
                text=message.detail,
                notable=message.notable,
            )


def event_of(delivery: Delivery) -> wire.Spoken | wire.NotableRaised:
    """The same for whoever follows the room on the control socket."""
    if delivery.kind == "notable":
        return wire.NotableRaised(
            seat=delivery.seat,
            session_id=delivery.session_id,
            id=delivery.delivery_id,
            notable=delivery.notable or "",
            detail=delivery.text,
            room=delivery.room,
        )
    return wire.Spoken(
        seat=delivery.seat,
        session_id=delivery.session_id,
        delivery_id=delivery.delivery_id,
        room=delivery.room,
        speech=delivery.kind,
        text=delivery.text,
        turn=delivery.turn or 0,
    )
