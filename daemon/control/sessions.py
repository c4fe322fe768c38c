"""Verbs of sessions: sessions, join, stop, pause, resume, budget, observe."""

from __future__ import annotations

from daemon.control import wire
from daemon.control.accounts import values_of
from daemon.control.asking import Asking, Verb, on_seat, on_some_seat
from daemon.control.fitting import brief_sessions, fit
from daemon.control.grants import Permissions
from daemon.control.peers import Caller
from daemon.refusal import Refusal


async def sessions(asking: Asking, params: wire.SessionsParams) -> wire.SessionsResult:
    """Live sessions, or all that are known, newest first."""
    found = await asking.supervision.sessions(asking.caller, params.seat, params.all, params.limit)
    permissions = asking.permissions()
    mine, more = fit(
        brief_sessions(
            [
                session
                for session in found.sessions
                if permissions.allow(asking.caller, "sessions", session.seat)
            ]
        )
    )
    return wire.SessionsResult(sessions=mine, more=more or found.more)


async def join(asking: Asking, params: wire.JoinParams) -> wire.JoinResult:
    """Starts a sitting; says that it plays only when the session does."""
    return await asking.supervision.join(
        asking.caller, params.seat, params.room, params.budget, params.wait
    )


async def stop(asking: Asking, params: wire.StopParams) -> wire.StopResult:
    """Ends the session, waiting for its end within the stop deadline."""
    return await asking.supervision.stop(asking.caller, params.seat, params.now)


async def pause(asking: Asking, params: wire.PauseParams) -> wire.PauseResult:
    """Lets the turn in progress end and starts none."""
    return await asking.supervision.pause(asking.caller, params.seat)


async def resume(asking: Asking, params: wire.ResumeParams) -> wire.PauseResult:
    """Lets turns start again."""
    return await asking.supervision.resume(asking.caller, params.seat)


async def budget(asking: Asking, params: wire.BudgetParams) -> wire.BudgetResult:
    """Reads or changes ceilings (K31)."""
    if params.reset and not params.default:
        raise Refusal("bad_params", "reset is about the seat's default ceilings: ask with default")
    return await asking.supervision.budget(
        asking.caller, params.seat, params.change, params.default, params.reset
    )


async def observe(asking: Asking, params: wire.ObserveParams) -> wire.ObserveResult:
    """The last decoded state of the live session."""
    return await asking.supervision.observe(asking.caller, params.seat)


def _may_join(permissions: Permissions, caller: Caller, params: wire.JoinParams) -> bool:
    """A sitting for another room than the seat's own is for those who speak for that room."""
    return permissions.allow(caller, "join", params.seat) and (
        params.room is None or permissions.speak_for(caller, params.room)
    )


def _account_of_budget(params: wire.BudgetParams) -> str | None:
    changes = params.reset or params.change != wire.BudgetChange()
    return values_of(params) if changes else None


VERBS = (
    Verb("sessions", wire.SessionsParams, on_some_seat("sessions"), sessions),
    Verb("join", wire.JoinParams, _may_join, join, values_of),
    Verb("stop", wire.StopParams, on_seat("stop"), stop, values_of),
    Verb("pause", wire.PauseParams, on_seat("pause"), pause, values_of),
    Verb("resume", wire.ResumeParams, on_seat("resume"), resume, values_of),
    Verb("budget", wire.BudgetParams, on_seat("budget"), budget, _account_of_budget),
    Verb("observe", wire.ObserveParams, on_seat("observe"), observe),
)
