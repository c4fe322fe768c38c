"""Whether what a motor says agrees with itself and with what was asked; else it proves nothing."""

from __future__ import annotations

import math
from datetime import datetime

from bodies.minecraft import wire

_TERMINATION_OF: dict[wire.Phase, type[wire.Termination]] = {
    "connecting": wire.NotRequested,
    "active": wire.NotRequested,
    "pausing": wire.NotRequested,
    "paused": wire.NotRequested,
    "stopping": wire.Pending,
    "uncertain": wire.Uncertain,
    "disconnected": wire.Confirmed,
}


def contradiction_in_status(status: wire.MotorStatus) -> str | None:
    """What in a motor's status contradicts itself; None when nothing does.

    Each phase requires one kind of termination. Without a session there is neither.
    """
    if status.session is None:
        if status.phase is not None or status.termination is not None:
            return "it holds no session and tells a phase or a termination"
        return None
    if status.phase is None or status.termination is None:
        return "it holds a session and does not tell its phase and termination"
    required = _TERMINATION_OF[status.phase]
    if not isinstance(status.termination, required):
        said = _kind(type(status.termination))
        return f"{status.phase} requires {_kind(required)}, not {said}"
    return None


def mismatch(
    status: wire.ActionStatus, session: wire.SessionRef, action_id: str, action: wire.Action
) -> str | None:
    """Why this status is not about the action that was asked for; None when it is."""
    if status.session != session:
        return "the motor answered for another session or connection"
    if status.action_id != action_id:
        return "the motor answered for another action"
    if status.requested != action:
        return "the motor took another action than the one requested"
    return None


def contradiction_in_action(status: wire.ActionStatus) -> str | None:
    """What in an action's status contradicts itself; None when nothing does.

    Verified agrees with every check, refuted has at least one that fails, and both were seen
    between the request and the update.
    """
    evidence = status.evidence
    try:
        requested, updated = _instant(status.requested_at), _instant(status.updated_at)
        seen = None if isinstance(evidence, wire.Unknown) else _instant(evidence.observed_at)
    except ValueError:
        return "it names a day that no calendar has"
    if updated < requested:
        return "it was updated before it was requested"
    if isinstance(evidence, wire.Unknown):
        return None
    if seen is None or not requested <= seen <= updated:
        return "its evidence was not seen between the request and the update"
    all_agree = all(agrees(check) for check in evidence.checks)
    if isinstance(evidence, wire.Verified) and not all_agree:
        return "it is called verified though a check fails"
    if isinstance(evidence, wire.Refuted) and all_agree:
        return "it is called refuted though every check agrees"
    return None


def agrees(check: wire.Check) -> bool:
    """Whether the observed is the expected."""
    if check.observed is None:
        return False
    if isinstance(check, wire.PositionCheck):
        return distance(check.expected, check.observed) <= check.tolerance
    return check.expected == check.observed


def distance(a: wire.Point, b: wire.Point) -> float:
    """Blocks between two places in a straight line."""
    return math.dist((a.x, a.y, a.z), (b.x, b.y, b.z))


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _kind(termination: type[wire.Termination]) -> str:
    return str(termination.__struct_config__.tag)
