"""What can be shown of a turn: what the bot saw, and what its motor proved."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Raw, Struct

from bodies.minecraft.acting import Done
from bodies.minecraft.effects import effect_of
from bodies.minecraft.game_evidence import GameEvidence, evidence_of, stage_in, status_in
from bodies.minecraft.observation import Surroundings, scene, told
from kernel.journal.damage import JournalDamaged
from kernel.journal.inspection import Inspection, Passage
from kernel.journal.recorded import RecordedTurn


def inspect(turn: RecordedTurn) -> Inspection:
    """Open one turn. Raises JournalDamaged."""
    evidence = evidence_of(turn)
    return Inspection(
        saw=tuple(_seen(turn, evidence.shown, "shown")),
        result=(*_given(turn, evidence), *_seen(turn, evidence.after, "after")),
    )


def _seen(turn: RecordedTurn, stage: Raw, field: str) -> Iterator[Passage]:
    recorded = stage_in(turn, stage, field)
    if recorded is None:
        return
    for observation in recorded.observations:
        by = recorded.provenance
        seen = Surroundings(by.player, by.motor, observation, by.left_out)
        yield Passage("scene", scene(seen))
        if lines := told(seen):
            yield Passage("facts", "\n".join(lines))


def _given(turn: RecordedTurn, evidence: GameEvidence) -> Iterator[Passage]:
    """The state alone for an action of a kind that is retired: what it meant is not known."""
    named = turn.decode(_state, evidence.action, "turn.action")
    if named is None:
        return
    yield Passage("result", named.state.replace("_", " "))
    try:
        status = status_in(turn, evidence)
    except JournalDamaged:
        return
    if status is not None:
        yield Passage("evidence", effect_of(Done(status.requested, status)).whole)


class _Named(Struct, frozen=True):
    state: str


_state = msgspec.json.Decoder[_Named | None](_Named | None)
