"""The verdicts on a turn that are the game's own; scene, tile and movement stay unknown."""

from __future__ import annotations

from datetime import datetime

import msgspec

from bodies.minecraft import wire
from bodies.minecraft.actions import described
from bodies.minecraft.game_evidence import GameEvidence, evidence_of, status_in
from kernel.journal.damage import JournalDamaged
from kernel.journal.evaluation.verdicts import Judgement, Proof, milliseconds
from kernel.journal.lines import Timing
from kernel.journal.recorded import RecordedTurn


def judge(turn: RecordedTurn) -> Judgement:
    """What native evidence tells of one turn. Raises JournalDamaged."""
    evidence = evidence_of(turn)
    timing = evidence.timing or Timing()
    kind, words = _action(turn)
    return Judgement(
        decision_ms=_between(timing.decision_started_at, timing.decision_settled_at),
        action_ms=_between(timing.action_started_at, timing.action_settled_at),
        stalled=evidence.stalled_for_turns > 0,
        repeated_turns=evidence.stalled_for_turns,
        proof=_proof(turn, evidence),
        action_kind=kind,
        action=words,
    )


def _proof(turn: RecordedTurn, evidence: GameEvidence) -> Proof | None:
    """What the motor proved of the effect that the turn tells; of a failure, nothing."""
    if turn.turn.effect is None or turn.turn.outcome == "waited":
        return None
    try:
        status = status_in(turn, evidence)
    except JournalDamaged:
        return "unknown"  # an action of a kind that is retired
    if status is None or turn.turn.detail is not None:
        return "unknown"
    match status.evidence:
        case wire.Verified():
            return "verified"
        case wire.Refuted():
            return "refuted"
        case wire.Unknown():
            return "unknown"


def _action(turn: RecordedTurn) -> tuple[str | None, str]:
    """The kind and the words; of a kind that is retired, the name alone."""
    named = turn.decode(_named, turn.turn.action, "turn.action")
    if named is None:
        return None, ""
    try:
        action = turn.decode(_known, turn.turn.action, "turn.action")
    except JournalDamaged:
        return named.kind, named.kind.replace("_", " ")
    return named.kind, described(action)


def _between(began: str | None, settled: str | None) -> int | None:
    return milliseconds(
        datetime.fromisoformat(began) if began else None,
        datetime.fromisoformat(settled) if settled else None,
    )


class _Named(msgspec.Struct, frozen=True):
    kind: str


_named = msgspec.json.Decoder[_Named | None](_Named | None)
_known = msgspec.json.Decoder[wire.Action](wire.Action)
