"""What a Minecraft turn keeps beside the turn that every reader knows: the native proof."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from bodies.minecraft import wire
from bodies.minecraft.observation import Provenance
from kernel.journal.lines import NULL, Count, Timing
from kernel.journal.recorded import RecordedTurn


class GameEvidence(Struct, frozen=True, kw_only=True, rename="camel"):
    """`shown`, `before` and `after` encode a `Stage` each, `action` an `ActionStatus`."""

    shown: Raw = NULL
    before: Raw = NULL
    after: Raw = NULL
    action: Raw = NULL
    timing: Timing | None = None
    stalled_for_turns: Count = 0


class RecordedStage(Struct, frozen=True):
    """One moment as it was recorded."""

    observations: tuple[wire.Observation, ...] = ()
    provenance: Provenance = Provenance()


def evidence_of(turn: RecordedTurn) -> GameEvidence:
    """The native proof; empty for a turn that has none. Raises JournalDamaged."""
    found = turn.decode(_evidence, turn.game_evidence, "gameEvidence")
    return found or GameEvidence()


def stage_in(turn: RecordedTurn, stage: Raw, field: str) -> RecordedStage | None:
    """One of its stages. Raises JournalDamaged."""
    return turn.decode(_stage, stage, field)


def status_in(turn: RecordedTurn, evidence: GameEvidence) -> wire.ActionStatus | None:
    """The action's status. Raises JournalDamaged."""
    return turn.decode(_status, evidence.action, "turn.action")


_evidence = msgspec.json.Decoder[GameEvidence | None](GameEvidence | None)
_stage = msgspec.json.Decoder[RecordedStage | None](RecordedStage | None)
_status = msgspec.json.Decoder[wire.ActionStatus | None](wire.ActionStatus | None)
