"""What readers need of a turn's evidence: declared apart from what is written, for its many ages.

Everything else in the evidence is skipped, which is what makes reading quick.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta, Raw, Struct

from kernel.journal.evaluation.verdicts import Position
from kernel.journal.lines import NULL, Count
from kernel.journal.recorded import RecordedTurn

Zoned = Annotated[datetime, Meta(tz=True)]


class Observation(Struct, frozen=True):
    kind: str
    data: Raw = NULL


class Moment(Struct, frozen=True):
    """What the body saw at one moment."""

    observations: tuple[Observation, ...] = ()

    def data(self, kind: str) -> Raw:
        """The first observation of this kind; `null` when there is none."""
        for seen in self.observations:
            if seen.kind == kind:
                return seen.data
        return NULL


class Scene(Struct, frozen=True, rename="camel"):
    mode: str | None = None
    input_ready: bool | None = None
    waiting_for_dialog_advance: bool = False


class Overworld(Struct, frozen=True):
    position: Position | None = None


class Tally(Struct, frozen=True, rename="camel"):
    turns_since_new_tile: Count | None = None


class Signals(Struct, frozen=True, rename="camel"):
    stalled_for_turns: Count | None = None
    repeating_for_turns: Count | None = None
    recurring_for_turns: Count | None = None


class Timing(Struct, frozen=True, rename="camel"):
    decision_started_at: Zoned | None = None
    decision_settled_at: Zoned | None = None
    action_started_at: Zoned | None = None
    action_settled_at: Zoned | None = None


class RecordedEvidence(Struct, frozen=True, rename="camel"):
    """One turn's evidence; a stage that did not happen is None."""

    decision: Moment | None = None
    immediate_pre_action: Moment | None = None
    post_action: Moment | None = None
    action_result: Raw = NULL
    progress_before: Tally | None = None
    signals: Signals | None = None
    timing: Timing | None = None


def evidence_of(turn: RecordedTurn) -> RecordedEvidence | None:
    """The turn's evidence; None where the line has none. Raises JournalDamaged."""
    return turn.decode(_evidence, turn.evidence_text, "evidence")


def scene_in(turn: RecordedTurn, moment: Moment | None, stage: str) -> Scene | None:
    """The scene that a stage saw. Raises JournalDamaged."""
    if moment is None:
        return None
    return turn.decode(_scene, moment.data("scene"), f"evidence.{stage}.scene")


def position_in(turn: RecordedTurn, moment: Moment | None, stage: str) -> Position | None:
    """Where a stage saw the player. Raises JournalDamaged."""
    if moment is None:
        return None
    overworld = turn.decode(_overworld, moment.data("overworld"), f"evidence.{stage}.overworld")
    return overworld.position if overworld else None


_evidence = msgspec.json.Decoder[RecordedEvidence | None](RecordedEvidence | None)
_scene = msgspec.json.Decoder[Scene | None](Scene | None)
_overworld = msgspec.json.Decoder[Overworld | None](Overworld | None)
