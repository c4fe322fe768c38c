"""The verdicts that are the same for every game: plan, recovery from a rejection, narration."""

from __future__ import annotations

import msgspec

from kernel.journal.evaluation.side_logs import Receipts
from kernel.journal.evaluation.verdicts import Continuity, Narration, Recovery
from kernel.journal.lines import NULL
from kernel.journal.recorded import RecordedTurn

REJECTED = "rejected_by_adapter"
SUCCEEDED = ("accepted", "settled")
"""The outcomes of a turn whose action was done."""


def plan_continuity(previous: str | None, current: str | None) -> Continuity:
    """From the objectives of two turns in a row; `previous` None: none, or no turn before."""
    if previous is None:
        return "unknown"
    if current is None:
        return "cleared"
    return "continued" if current == previous else "changed"


def rejection_recovery(turn: RecordedTurn, following: RecordedTurn | None) -> Recovery:
    """What the player did about a rejection in the turn after it."""
    if turn.turn.outcome != REJECTED:
        return "not_applicable"
    if following is None or NULL in (turn.turn.action, following.turn.action):
        return "unknown"
    if _action_of(turn) == _action_of(following):
        return "repeated"
    return "recovered" if following.turn.outcome in SUCCEEDED else "changed_without_success"


def narration(turn: RecordedTurn, receipts: Receipts) -> Narration:
    """What became of the turn's words.

    A wish to speak is `speakWanted` or, where no voice model spoke for the player, its own `speak`.
    """
    if turn.speech_delivery_id is not None:
        return receipts.verdict_on(turn.speech_delivery_id)
    said = turn.turn
    if said.speak_suppressed:
        return "suppressed"
    wished = said.speak_wanted or said.speak is not None
    return "model_silent" if said.action != NULL and not wished else "no_attempt"


def _action_of(turn: RecordedTurn) -> object:
    """The action as a value that is equal however its keys were ordered."""
    return turn.decode(_any, turn.turn.action, "turn.action")


_any = msgspec.json.Decoder[object](object)
