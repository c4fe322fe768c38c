"""Seats and sessions as the control socket shows them."""

from __future__ import annotations

import trio
from msgspec.structs import replace

from config.settings import Seat as SeatSettings
from daemon.ceilings import later_ceiling
from daemon.control.wire import SeatState, SeatView, SessionView
from daemon.lifecycle import TERMINAL
from daemon.records import SessionRecord
from daemon.seat import Seat
from daemon.session import Session
from daemon.sitting import Sitting


def seat_view(seat: Seat, settings: SeatSettings) -> SeatView:
    """A configured seat and what it does now."""
    sitting = seat.sitting
    state, detail = _condition(seat, sitting)
    return SeatView(
        seat=seat.name,
        body=settings.body,
        game=settings.game,
        model=settings.model,
        state=state,
        detail=detail,
        generation=seat.record.generation,
        room=settings.room,
        world=settings.world,
        deaths=seat.deaths.recent(trio.current_time()),
        restart_in=None if sitting is None else _restart_in(sitting),
        ceiling=later_ceiling(settings, seat.record),
        session=_session_of(seat, sitting),
    )


def session_view(record: SessionRecord, *, stale: bool = False) -> SessionView:
    """A session by its record; `stale`: that is an earlier daemon's and has no end."""
    process = record.process
    return SessionView(
        session_id=record.session_id,
        sitting_id=record.sitting_id,
        seat=record.seat,
        generation=record.generation,
        state=record.state,
        stale=stale,
        began_at=record.began_at,
        ended_at=record.ended_at,
        pid=process.pid if process is not None and record.state not in TERMINAL else None,
        room=record.room,
        turns_taken=record.turns_taken,
        budget=record.budget,
        outcome=record.outcome,
        reason=record.reason,
        leave=record.leave,
        journey_id=record.journey_id,
        journal=record.journal,
    )


def live_view(session: Session, sitting: Sitting) -> SessionView:
    """A live session, with the newest of what it said."""
    latest = session.latest
    shown = session_view(session.record)
    return replace(
        shown,
        paused=session.paused,
        phase=latest.phase,
        waiting=latest.waiting,
        ceiling=sitting.record.ceiling,
        budget=sitting.used,
        card=latest.card,
        failures_in_row=latest.failures_in_row,
        counters=latest.counters or {},
    )


def after_settling(seat: Seat) -> str:
    """What whoever looked at a stale seat is told: what happened, and the next step."""
    happened = "An earlier daemon ended while it was played; its records are settled now."
    if seat.recovery_required:
        return (
            f"{happened} Its leave is not confirmed: playctl recover {seat.name} asks the world, "
            f"as does playctl join {seat.name} before it plays."
        )
    return f"{happened} To play: playctl join {seat.name}"


def _restart_in(sitting: Sitting) -> float | None:
    if sitting.restart_at is None:
        return 0.0 if sitting.unsettled else None  # its world is being asked
    return max(0.0, sitting.restart_at - trio.current_time())


def _session_of(seat: Seat, sitting: Sitting | None) -> SessionView | None:
    if sitting is not None and sitting.session is not None:
        return live_view(sitting.session, sitting)
    if sitting is not None and sitting.latest is not None:
        return replace(session_view(sitting.latest), budget=sitting.used)
    record = seat.stale or seat.last
    return None if record is None else session_view(record, stale=record is seat.stale)


def _condition(seat: Seat, sitting: Sitting | None) -> tuple[SeatState, str]:
    if sitting is not None:
        return _playing(seat, sitting)
    if seat.record.failed is not None:
        return "failed", f"{seat.record.failed}; playctl reset {seat.name} lets it play again"
    if seat.stale is not None:
        return "stale", "an earlier daemon ended while it was played; join or observe settles it"
    if seat.recovery_required:
        return "recovery_required", f"a leave was not confirmed; playctl recover {seat.name}"
    return "idle", ""


def _playing(seat: Seat, sitting: Sitting) -> tuple[SeatState, str]:
    session = sitting.session
    if sitting.stopping:
        return "stopping", ""
    if sitting.unsettled:
        return "recovery_required", f"{sitting.unsettled}; playctl recover {seat.name} --force"
    if sitting.restart_at is not None:
        return "restarting", sitting.restart_reason
    if session is None or session.record.state in ("claimed", "starting"):
        return "starting", ""
    if session.record.state == "stopping" or session.record.state in TERMINAL:
        return "stopping", session.record.reason
    return ("paused" if session.paused else "running"), ""
