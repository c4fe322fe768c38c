"""When a world has ended, when it is only lost, and how a refused join is told to people.

Pure tables. Ended: the world said that the session is over. Lost: anything else that breaks a
connection; the session may still be there, and the connection is made again. Refused: this one
operation did not happen; the session goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EndCause = Literal["session_ended", "taken_over", "unreachable"]
JoinReason = Literal[
    "no_credential", "world_unreachable", "world_full", "region_not_hosted", "world_refused"
]

_ENDING_CLOSE_CODES: dict[int, EndCause] = {4001: "session_ended", 4003: "taken_over"}
_ENDING_CODES: dict[str, EndCause] = {
    "session_ended": "session_ended",
    "not_your_session": "taken_over",
}
_JOIN_REASONS: dict[str, JoinReason] = {
    "world_full": "world_full",
    "game_unavailable": "region_not_hosted",
}
_TOO_BIG = 1009


@dataclass(frozen=True, slots=True)
class Parting:
    """Why a connection is over. `cause` None: lost, and worth another try."""

    detail: str
    cause: EndCause | None = None


def parting_of_close(code: int) -> Parting:
    """What a WebSocket close code means for the session."""
    if code == _TOO_BIG:
        return Parting("a message over 4 MiB closed the connection")
    return Parting(f"the connection closed with {code}", _ENDING_CLOSE_CODES.get(code))


def end_of_refusal(code: str) -> EndCause | None:
    """The end that a refusal of any operation tells of; None: the session goes on."""
    return _ENDING_CODES.get(code)


def end_of_push(code: str | None) -> EndCause:
    """The end that an `ended` push tells of; without a code the session simply ended."""
    return _ENDING_CODES.get(code or "", "session_ended")


def confirmed(cause: EndCause) -> bool:
    """Whether nothing of ours can hold the body any more; a takeover has to be asked about."""
    return cause == "session_ended"


def join_reason(code: str) -> JoinReason:
    """The word for people for a refused join."""
    return _JOIN_REASONS.get(code, "world_refused")
