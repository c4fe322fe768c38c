"""Whether a session process keeps to the session protocol: which message may come when.

A line that is not a message, too long, of an unknown kind or out of order is a fault. The tenth
fault ends the session, and so does a second claim of a terminal state. Nothing that came with a
fault is acted upon.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from daemon.framing import Line
from kernel.session.wire import (
    LINE_CAP,
    Ended,
    FromSession,
    Heartbeat,
    Hello,
    Joining,
    Notable,
    Phase,
    Received,
    Refused,
    Running,
    Speech,
    Stats,
    Stopping,
    Turn,
    Usage,
    from_session_decoder,
)

FAULTS_TO_END = 10

Stage: TypeAlias = Literal["silent", "greeted", "joining", "running", "over"]

_ANY_TIME = frozenset((Heartbeat, Stats, Phase, Received, Stopping, Notable))
_ALLOWED: dict[Stage, frozenset[type[FromSession]]] = {
    "silent": frozenset((Hello,)),
    "greeted": _ANY_TIME | {Joining, Refused, Ended},
    "joining": _ANY_TIME | {Running, Refused, Ended},
    "running": _ANY_TIME | {Turn, Usage, Speech, Ended},
    "over": frozenset((Heartbeat, Stats, Phase)),
}
_LEADS_TO: dict[type[FromSession], Stage] = {
    Hello: "greeted",
    Joining: "joining",
    Running: "running",
    Refused: "over",
    Ended: "over",
}
_RECOVERY_OUTCOMES = frozenset(("settled", "unsettled"))


class Fault(Exception):
    """A line that the protocol does not allow; `fatal` ends the session at once."""

    def __init__(self, reason: str, *, fatal: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.fatal = fatal


class Conduct:
    """The protocol as one session process has kept it so far."""

    def __init__(self, mode: Literal["play", "recover"] = "play") -> None:
        self.stage: Stage = "silent"
        self.faults = 0
        self._mode = mode

    def read(self, line: Line) -> FromSession:
        """The message in a line, in its turn. Raises Fault."""
        try:
            message = self._decode(line)
            self._check_order(message)
        except Fault as fault:
            self.faults += 1
            fault.fatal = fault.fatal or self.faults >= FAULTS_TO_END
            raise
        self.stage = _LEADS_TO.get(type(message), self.stage)
        return message

    def _decode(self, line: Line) -> FromSession:
        if line.cut:
            raise Fault(f"a line of more than {LINE_CAP} bytes")
        try:
            return from_session_decoder.decode(line.data.decode())
        except UnicodeDecodeError as error:
            raise Fault(f"a line that is not UTF-8 at byte {error.start}") from None
        except (msgspec.DecodeError, RecursionError) as error:
            raise Fault(f"a line that is no message: {str(error)[:200]}") from None

    def _check_order(self, message: FromSession) -> None:
        kind = type(message)
        if kind in (Ended, Refused) and self.stage == "over":
            raise Fault("a second terminal state", fatal=True)
        if kind not in _ALLOWED[self.stage]:
            raise Fault(f"{kind.__name__.lower()} while {self.stage}")
        if isinstance(message, Ended):
            recovered = message.outcome in _RECOVERY_OUTCOMES
            if recovered != (self._mode == "recover") and message.outcome != "crashed":
                raise Fault(f"outcome {message.outcome} in mode {self._mode}")
