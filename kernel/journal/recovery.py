"""Joining a turn that has no line of its own from the two lines that bracket its action."""

from __future__ import annotations

from msgspec import UNSET

from kernel.journal.lines import (
    NULL,
    ActionLine,
    DecisionLine,
    Evidence,
    SummaryLine,
    Turn,
    TurnLine,
    opaque,
)
from kernel.journal.recorded import RecordedTurn

UNKNOWN_OUTCOME = "unknown"
"""The outcome of a turn whose action was decided and never seen to settle."""


class OpenTurn:
    """Follows one trail and knows the turn that was decided and has no line yet."""

    def __init__(self) -> None:
        self._before: Turn | None = None
        self._decision: DecisionLine | None = None
        self._action: ActionLine | None = None

    def follow(self, value: object) -> TurnLine | None:
        """Take the trail's next value. Gives the turn before it if that one was cut off."""
        match value:
            case DecisionLine():
                cut_off = self._cut_off_before(value.turn)
                self._decision = value
                self._action = None
                return cut_off
            case ActionLine() if self._decision is not None and self._decision.turn == value.turn:
                self._action = value
                return None
            case RecordedTurn():
                cut_off = self._cut_off_before(value.turn.turn)
                self._settle(value.turn)
                return cut_off
            case SummaryLine():
                return self.end()
            case _:
                return None

    def end(self) -> TurnLine | None:
        """The turn that was cut off before the trail's end, if any."""
        return self._cut_off_before(None)

    def _cut_off_before(self, number: int | None) -> TurnLine | None:
        if self._decision is None or self._decision.turn == number:
            return None
        line = _join(self._decision, self._action, self._before)
        self._settle(line.turn)
        return line

    def _settle(self, turn: Turn) -> None:
        self._before = turn
        self._decision = None
        self._action = None


def _join(decision: DecisionLine, action: ActionLine | None, before: Turn | None) -> TurnLine:
    decided = decision.decision
    notes = decided.notes
    if notes is None and before is not None:
        notes = before.notes
    objective = decided.objective
    if objective is UNSET:
        objective = before.objective if before is not None else None
    last = decision if action is None else action
    return TurnLine(
        at=last.at,
        turn=Turn(
            turn=decision.turn,
            observation_sha256=None,
            monologue=decided.monologue,
            intent=decided.intent,
            notes=notes,
            objective=objective,
            # Whether anything was spoken is not known; the wish is.
            speak_wanted=decided.speak is not None or decided.reply is not None,
            action=decided.action,
            outcome=UNKNOWN_OUTCOME if action is None else action.outcome,
            clipped=decided.clipped,
        ),
        evidence=opaque(
            Evidence(decision=NULL, action_result=NULL if action is None else action.result)
        ),
    )
