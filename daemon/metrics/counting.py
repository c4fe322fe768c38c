"""Counts what happens in the supervisor."""

from __future__ import annotations

from collections.abc import Callable

from config.settings import Settings
from daemon.happenings import (
    DeliverySettled,
    Draining,
    Happening,
    LeaseLost,
    LeaseRenewed,
    ProtocolFault,
    ReceiptsLost,
    Reloaded,
    Reloading,
    RestartPlanned,
    SeatChanged,
    SessionChanged,
    SessionSaid,
    StopTook,
)
from daemon.lifecycle import TERMINAL
from daemon.metrics.series import Series
from daemon.metrics.session_counters import SessionCounters
from daemon.metrics.vocabulary import (
    CALL_OUTCOMES,
    CODES,
    DELIVERY_OUTCOMES,
    NOTABLES,
    OTHER,
    REPLACED_BY,
    SESSION_OUTCOMES,
    STALE,
    TURN_OUTCOMES,
    VERBS,
    known,
)
from daemon.records import SessionRecord
from kernel.session.wire import Notable, Stats, Turn, Usage


class Counting:
    """Turns happenings into series. `settings` gives the configuration as last loaded."""

    def __init__(self, series: Series, settings: Callable[[], Settings]) -> None:
        self._series = series
        self._settings = settings
        self._counters = SessionCounters(series)
        self._seats: set[str] = set()
        self._models: set[str] = set()
        self._rooms: set[str] = set()
        self._live: dict[str, set[str]] = {}
        """Ids of the live sessions of each seat that has any."""
        self._follow_configuration()

    def observe(self, happening: Happening) -> None:
        """Count one happening; see `happenings.Observer`."""
        series = self._series
        match happening:
            case SessionSaid(session, message):
                self._count_message(session, message)
            case SessionChanged(session):
                self._count_state(session)
            case ProtocolFault(session):
                series.protocol_errors.labels(session.seat).inc()
            case RestartPlanned(seat, died=died):
                if died:
                    series.restarts.labels(seat).inc()
            case StopTook(seconds=seconds):
                series.stop_duration.observe(seconds)
            case LeaseRenewed(seat):
                series.lease_renewals.labels(seat).inc()
            case LeaseLost(seat):
                series.leases_lost.labels(seat).inc()
            case Reloaded(taken):
                series.reloads.labels("taken" if taken else "refused").inc()
                self._follow_configuration()
            case DeliverySettled(room=room, outcome=outcome):
                if room in self._settings().rooms:
                    series.deliveries.labels(room, known(outcome, DELIVERY_OUTCOMES)).inc()
            case ReceiptsLost(count):
                series.receipts_lost.inc(count)
            case SeatChanged() | Reloading() | Draining():
                pass  # what a seat is now is looked up

    def request(self, verb: str, code: str) -> None:
        """Count an answered request of the control socket."""
        self._series.control_requests.labels(known(verb, VERBS), known(code, CODES)).inc()

    def _count_message(self, session: SessionRecord, message: object) -> None:
        seat = session.seat
        match message:
            case Turn():
                self._count_turn(seat, message)
            case Usage():
                self._count_call(seat, message)
            case Notable(notable=kind):
                self._series.notables.labels(seat, known(kind, NOTABLES)).inc()
            case Stats(counters=counters):
                self._counters.take(session.session_id, seat, counters)
            case _:
                pass

    def _count_turn(self, seat: str, turn: Turn) -> None:
        series, card = self._series, turn.card
        series.last_turn.labels(seat).set_to_current_time()
        series.turns.labels(seat, known(card.outcome, TURN_OUTCOMES)).inc()
        if card.outcome in STALE:
            series.stale_decisions.labels(seat).inc()
        for cause in REPLACED_BY:
            series.proposals_replaced.labels(seat, cause).inc(
                max(0, turn.preemptions.get(cause, 0))
            )
        if card.turn_ms is not None:
            series.turn_duration.labels(seat).observe(card.turn_ms / 1000)
        settings = self._settings().seats.get(seat)
        game = OTHER if settings is None else settings.game
        if card.decision_ms is not None:
            series.decision_duration.labels(game).observe(card.decision_ms / 1000)
        if card.action_ms is not None:
            series.action_duration.labels(game).observe(card.action_ms / 1000)

    def _count_call(self, seat: str, call: Usage) -> None:
        series, role = self._series, call.role
        model = known(call.model, self._settings().models)
        self._models.add(model)
        series.model_calls.labels(model, role, known(call.outcome, CALL_OUTCOMES)).inc()
        series.model_call_duration.labels(model, role).observe(call.seconds)
        if call.first_token_seconds is not None:
            series.first_token.labels(model, role).observe(call.first_token_seconds)
        for kind, tokens in (
            ("input", call.input),
            ("output", call.output),
            ("cache_read", call.cache_read),
            ("cache_write", call.cache_write),
            ("reserved", call.reserved),
        ):
            series.tokens.labels(seat, role, kind).inc(max(0, tokens))
        if call.cost is None:
            series.unpriced_calls.labels(seat).inc()
        else:
            series.cost.labels(seat, role).inc(max(0.0, call.cost))

    def _count_state(self, session: SessionRecord) -> None:
        seat = session.seat
        self._begin_seat(seat)
        live = self._live.setdefault(seat, set())
        if session.state not in TERMINAL:
            live.add(session.session_id)
            if session.state == "running":
                self._series.last_turn.labels(seat).set_to_current_time()
            return
        self._series.last_turn.labels(seat).set(0)
        outcome = session.outcome or "refused"
        self._series.sessions_ended.labels(seat, known(outcome, SESSION_OUTCOMES)).inc()
        self._counters.end(session.session_id, seat)
        live.discard(session.session_id)
        if not live:
            del self._live[seat]
            self._follow_configuration()

    def _begin_seat(self, seat: str) -> None:
        if seat not in self._seats:
            self._seats.add(seat)
            self._series.begin_seat(seat)

    def _follow_configuration(self) -> None:
        """Begin and forget series as the configuration says; what is played on is kept."""
        settings = self._settings()
        for seat in self._seats - settings.seats.keys() - self._live.keys():
            self._seats.discard(seat)
            self._series.forget_seat(seat)
        for model in self._models - settings.models.keys() - {OTHER}:
            self._models.discard(model)
            self._series.forget_model(model)
        for room in self._rooms - settings.rooms.keys():
            self._series.forget_room(room)
        for name, seat in settings.seats.items():
            self._begin_seat(name)
            self._series.begin_game(seat.game)
            for model, role in ((seat.model, "mind"), (seat.voice_model, "voice")):
                if model is not None:
                    self._models.add(model)
                    self._series.begin_model(model, role)
        for room in settings.rooms:
            self._series.begin_room(room)
        self._rooms = set(settings.rooms)
