"""What of the supervisor's happenings a `watch` shows, and how."""

from __future__ import annotations

from collections.abc import Callable

from daemon.control import wire
from daemon.happenings import (
    Happening,
    RestartPlanned,
    SeatChanged,
    SessionChanged,
    SessionSaid,
)
from kernel.session.wire import Notable, Phase, Speech, Turn


def event_of(
    happening: Happening, view: Callable[[str], wire.SeatView | None]
) -> wire.Event | None:
    """The event that shows a happening; None: it is not shown, or its seat is not configured."""
    match happening:
        case SessionChanged(session):
            return _seat_event(view(session.seat))
        case SeatChanged(seat) | RestartPlanned(seat):
            return _seat_event(view(seat))
        case SessionSaid(session, message):
            seat, session_id, room = session.seat, session.session_id, session.room
            match message:
                case Turn(card=card, budget=budget, failures_in_row=failures):
                    return wire.TurnEnded(
                        seat=seat,
                        session_id=session_id,
                        card=card,
                        budget=budget,
                        failures_in_row=failures,
                    )
                case Phase(phase=phase, turn=turn, waiting=waiting):
                    return wire.PhaseChanged(
                        seat=seat, session_id=session_id, phase=phase, turn=turn, waiting=waiting
                    )
                case Notable(id=id, notable=notable, detail=detail):
                    return wire.NotableRaised(
                        seat=seat,
                        session_id=session_id,
                        id=id,
                        notable=notable,
                        detail=detail,
                        room=room,
                    )
                case Speech(id=id, speech=speech, text=text, turn=turn):
                    return wire.Spoken(
                        seat=seat,
                        session_id=session_id,
                        delivery_id=id,
                        room=room,
                        speech=speech,
                        text=text,
                        turn=turn,
                    )
                case _:
                    return None
        case _:
            return None


def _seat_event(view: wire.SeatView | None) -> wire.Event | None:
    return None if view is None else wire.SeatChanged(seat=view)
