"""All seats, those that the configuration names and those that are played on without it."""

from __future__ import annotations

from collections.abc import Iterator

from config.settings import Seat as SeatSettings
from daemon.control.wire import SeatView
from daemon.means import Means
from daemon.records import SeatRecord
from daemon.refusal import Refusal, no_such_seat
from daemon.seat import Seat
from daemon.session import Session
from daemon.sitting import Sitting
from daemon.views import seat_view


class Register:
    """Finds seats, and refuses what cannot be found."""

    def __init__(self, means: Means, seats: dict[str, Seat]) -> None:
        self._means = means
        self._seats = seats
        self.add_configured()

    def add_configured(self) -> None:
        """Make the seats of a new configuration known; none is ever forgotten."""
        for name in self._means.settings.seats:
            if name not in self._seats:
                self._seats[name] = Seat(SeatRecord(seat=name))

    def configured(self, name: str) -> tuple[Seat, SeatSettings]:
        """A seat that the configuration names. Raises Refusal (`no_such_seat`)."""
        try:
            settings = self._means.settings.seats[name]
        except KeyError:
            raise no_such_seat(name) from None
        return self._seats[name], settings

    def sitting(self, name: str) -> Sitting:
        """The sitting in a seat, even in one that a reload took away. Raises Refusal."""
        sitting = self._sitting(name)
        if sitting is None:
            self.configured(name)
            raise Refusal(
                "not_playing",
                f"seat {name} is not being played",
                f"Join it first: playctl join {name}",
            )
        return sitting

    def sitting_to_stop(self, name: str) -> Sitting:
        """The same for a stop: where there is none, the refusal says how the last session ended."""
        sitting = self._sitting(name)
        if sitting is None:
            seat, _ = self.configured(name)
            raise Refusal("not_playing", f"seat {name} is not being played", _how_it_ended(seat))
        return sitting

    def playing(self, name: str) -> tuple[Sitting, Session]:
        """The live session in a seat and its sitting. Raises Refusal."""
        sitting = self.sitting(name)
        if sitting.session is None:
            raise Refusal("not_playing", f"seat {name} has no session at this moment")
        return sitting, sitting.session

    def _sitting(self, name: str) -> Sitting | None:
        return self._seats[name].sitting if name in self._seats else None

    def sittings(self) -> list[Sitting]:
        """Every sitting that is not over."""
        return [seat.sitting for seat in self._seats.values() if seat.sitting is not None]

    def live(self) -> Iterator[tuple[Sitting, Session]]:
        """Every live session with its sitting."""
        for sitting in self.sittings():
            if sitting.session is not None:
                yield sitting, sitting.session

    def stale(self) -> frozenset[str]:
        """Ids of the sessions of an earlier daemon that have no end yet."""
        stale = (seat.stale for seat in self._seats.values())
        return frozenset(session.session_id for session in stale if session is not None)

    def view(self, name: str) -> SeatView | None:
        """A seat as it is shown; None: the configuration does not name it."""
        settings = self._means.settings.seats.get(name)
        return None if settings is None else seat_view(self._seats[name], settings)

    def views(self) -> tuple[SeatView, ...]:
        """Every configured seat, by name."""
        configured = sorted(self._means.settings.seats.items())
        return tuple(seat_view(self._seats[name], settings) for name, settings in configured)


def _how_it_ended(seat: Seat) -> str:
    if seat.stale is not None:
        return (
            f"An earlier daemon ended while it was played; settle it: playctl observe {seat.name}"
        )
    if (last := seat.last) is None:
        return ""
    why = f" ({last.reason})" if last.reason else ""
    return f"It is stopped already; its last session ended: {last.outcome or last.state}{why}."
