"""What one session has with its room: under whom it writes there, and what was logged of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from daemon.control.grants import Permissions
from daemon.control.peers import Caller
from daemon.control.wire import DeliveryOutcome
from daemon.logs import log_of
from daemon.records import SessionRecord
from daemon.rooms.delivery import Delivery


@dataclass(eq=False, slots=True)
class Correspondence:
    """One for each session that has a room."""

    session: SessionRecord
    starter: Caller | None
    """Who started the sitting: its notables are told under this caller's grant (K33)."""
    _logged: set[DeliveryOutcome] = field(default_factory=set[DeliveryOutcome])

    def log(self, delivery: Delivery, outcome: DeliveryOutcome, why: str) -> None:
        """Say in the log that a delivery did not arrive: once for each outcome, later ones are
        counted alone (K13)."""
        if outcome in self._logged:
            return
        self._logged.add(outcome)
        log_of(__name__, seat=self.session.seat, session=self.session.session_id).warning(
            "room %s: %s %s: %s (later ones of this session are counted and not logged)",
            delivery.room,
            delivery.notable or delivery.kind,
            outcome,
            why,
            event=f"delivery_{outcome}",
        )


def withheld(
    permissions: Permissions, correspondence: Correspondence, room: str, seats_own: str | None
) -> str | None:
    """Why a notable may not be told to the room any more, by the grants of this moment; or None.

    `seats_own` is the seat's room in the configuration: a sitting in it needs the grant to join
    alone, one in another room needs a starter who speaks for that room (as at its start).
    """
    starter, seat = correspondence.starter, correspondence.session.seat
    if starter is None:
        return "it is not known who started the sitting"
    if not permissions.allow(starter, "join", seat):
        return f"uid {starter.uid}, who started the sitting, is no longer granted join on {seat}"
    if room != seats_own and not permissions.speak_for(starter, room):
        return f"uid {starter.uid}, who started the sitting, no longer speaks for the room"
    return None
