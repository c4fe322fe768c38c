"""What a session's end was: outcome, reason in words, and whether its body was given back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from daemon.control.wire import Code
from daemon.lifecycle import Outcome
from daemon.session_process import Cause, Exit
from kernel.session.wire import Ended, Refused

Leaving: TypeAlias = Literal["confirmed", "unconfirmed", "not_joined"]
Reached: TypeAlias = Literal["starting", "joining", "running"]
"""How far a session came by its own word."""

_BY_CAUSE: dict[Cause, tuple[Outcome, str]] = {
    "hung": ("hung", "said nothing for too long"),
    "protocol_error": ("protocol_error", "broke the session protocol"),
    "stop_deadline": ("stop_deadline", "did not end before its stop's deadline"),
    "stop_now": ("stopped", "was ended at once by a stop"),
    "lease_lapsed": ("lease_lapsed", "its lease could not be kept"),
    "shutdown": ("supervisor_lost", "was killed with the daemon"),
}
_CODES: dict[str, Code] = {
    "world_unreachable": "world",
    "world_full": "world",
    "region_not_hosted": "world",
    "world_refused": "world",
    "no_model": "model",
    "model_unusable": "model",
    "no_credential": "configuration",
}
_IN_WORDS = {
    "world_unreachable": "the world cannot be reached (world_unreachable)",
    "world_full": "the world has no free seat (world_full)",
    "region_not_hosted": "the world does not host this game (region_not_hosted)",
    "world_refused": "the world refused (world_refused)",
    "no_credential": "the seat has no usable key (no_credential)",
    "model_unusable": "the model cannot be used (model_unusable)",
}


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """The end of a session; `outcome` None: it was refused."""

    outcome: Outcome | None
    reason: str
    leave: Leaving
    receipt: str | None = None
    turns_taken: int | None = None
    refused: str | None = None
    """The session's own code of the refusal."""

    @property
    def code(self) -> Code:
        """What a join that waited for this session is answered with."""
        if self.refused is not None:
            return _CODES.get(self.refused, "session_refused")
        return "model" if self.outcome == "mind_unavailable" else "session_failed"


def end_of(exit: Exit, claim: Ended | Refused | None, reached: Reached) -> SessionEnd:
    """Judge an exit. `claim` is the terminal state that the session claimed, if any.

    What the supervisor did to it outranks what it claimed; what it claimed outranks its exit code.
    Without a claim, a session that had begun to join may still hold its body.
    """
    leave: Leaving = "not_joined" if reached == "starting" else "unconfirmed"
    receipt: str | None = None
    turns: int | None = None
    if isinstance(claim, Ended):
        leave, receipt, turns = claim.leave, claim.receipt, claim.turns_taken
    elif isinstance(claim, Refused):
        leave = "not_joined" if claim.recovery is None else "unconfirmed"
    if exit.cause is not None and exit.cause != "lingered":
        outcome, reason = _BY_CAUSE[exit.cause]
        return SessionEnd(outcome, reason, leave, receipt, turns)
    if isinstance(claim, Refused):
        what = _IN_WORDS.get(claim.reason, claim.reason)
        return SessionEnd(None, f"{what}: {claim.detail}", leave, refused=claim.reason)
    if claim is not None and claim.outcome not in ("settled", "unsettled"):
        return SessionEnd(claim.outcome, claim.detail, leave, receipt, turns)
    if exit.out_of_memory:
        return SessionEnd("crashed", "was killed for want of memory", leave)
    when = "while running" if reached == "running" else "before running"
    return SessionEnd("crashed", f"died {when}: {exit.status or 'cannot be killed'}", leave)
