"""One turn as a journal holds it, whichever body wrote it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from kernel.journal.damage import damage_of
from kernel.journal.lenience import read
from kernel.journal.lines import NULL, ActionResult, Count, Screenshot, Stage, Timing, Turn
from kernel.journal.projection import ProjectedTurn
from kernel.undecodable import UNDECODABLE

_T = TypeVar("_T")


class RecordedEvidence(Struct, frozen=True, kw_only=True, rename="camel"):
    """An `Evidence` with its stages decoded; a stage that did not happen is None (K34)."""

    decision: Stage | None
    immediate_pre_action: Stage | None = None
    post_action: Stage | None = None
    action_result: ActionResult | None = None
    progress_before: Raw = NULL
    progress_after: Raw = NULL
    signals: Raw = NULL
    timing: Timing | None = None
    window: Count | None = None


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
        return self.decode(_evidence, self.evidence_text, "evidence")

    def decode(self, decoder: msgspec.json.Decoder[_T], text: Raw, field: str) -> _T:
        """Read the part of the line that `field` names. Raises JournalDamaged."""
        try:
            return read(decoder, text)
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


_evidence = msgspec.json.Decoder[RecordedEvidence | None](RecordedEvidence | None)
