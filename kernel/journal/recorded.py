"""One turn as a journal holds it, whichever body wrote it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import UNSET, Raw, UnsetType

from kernel.journal.damage import damage_of
from kernel.journal.lines import NULL, ActionResult, Evidence, Screenshot, Stage, Timing, Turn
from kernel.journal.projection import ProjectedTurn
from kernel.undecodable import UNDECODABLE

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class RecordedEvidence:
    """An `Evidence` with its stages decoded; a stage that did not happen is None (K34)."""

    decision: Stage | None
    immediate_pre_action: Stage | None
    post_action: Stage | None
    action_result: ActionResult | None
    progress_before: Raw
    progress_after: Raw
    signals: Raw
    timing: Timing | None
    window: int | None


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """One turn as the journal holds it, whichever body wrote it."""

    path: Path
    line: int
    """Where it stands; for a recovered turn, where its absence was found."""
    at: str | None
    """None only where an older line lacks it."""
    turn: Turn
    evidence_text: Raw
    game_evidence: Raw
    screenshot: Screenshot | None
    speech_delivery_id: str | None
    narration_event: str | None
    recovered: bool

    def evidence(self) -> RecordedEvidence | None:
        """Decode the evidence; None where the line has none. Raises JournalDamaged."""
        if self.evidence_text == NULL:
            return None
        text = self.decode(_evidence, self.evidence_text, "evidence")
        return RecordedEvidence(
            decision=self.decode(_stage, text.decision, "evidence.decision"),
            immediate_pre_action=self.decode(
                _stage, text.immediate_pre_action, "evidence.immediatePreAction"
            ),
            post_action=self.decode(_stage, text.post_action, "evidence.postAction"),
            action_result=self.decode(_result, text.action_result, "evidence.actionResult"),
            progress_before=text.progress_before,
            progress_after=text.progress_after,
            signals=text.signals,
            timing=text.timing,
            window=text.window,
        )

    def decode(self, decoder: msgspec.json.Decoder[_T], text: Raw, field: str) -> _T:
        """Read the part of the line that `field` names. Raises JournalDamaged."""
        try:
            return decoder.decode(text)
        except UNDECODABLE as error:
            raise damage_of(self.path, self.line, error, within=field) from error


def recorded(
    path: Path, line: int, turn: ProjectedTurn, *, recovered: bool = False
) -> RecordedTurn:
    """The turn that stands on this line of this file."""
    return RecordedTurn(
        path=path,
        line=line,
        at=_or_none(turn.at),
        turn=turn.turn,
        evidence_text=turn.evidence,
        game_evidence=turn.game_evidence,
        screenshot=_or_none(turn.screenshot),
        speech_delivery_id=_or_none(turn.speech_delivery_id),
        narration_event=_or_none(turn.narration_event),
        recovered=recovered,
    )


def _or_none(value: _T | UnsetType) -> _T | None:
    return None if value is UNSET else value


_evidence = msgspec.json.Decoder(Evidence)
_stage = msgspec.json.Decoder[Stage | None](Stage | None)
_result = msgspec.json.Decoder[ActionResult | None](ActionResult | None)
