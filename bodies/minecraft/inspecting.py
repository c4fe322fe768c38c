"""What can be shown of a turn: what the bot saw, and what its motor proved."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Raw

from bodies.minecraft import wire
from bodies.minecraft.acting import Done
from bodies.minecraft.effects import effect_of
from bodies.minecraft.game_evidence import evidence_of, stage_in, status_in
from bodies.minecraft.observation import Surroundings, scene, told
from kernel.journal.inspection import Inspection, Passage
from kernel.journal.recorded import RecordedTurn


def inspect(turn: RecordedTurn) -> Inspection:
    """Open one turn. Raises JournalDamaged."""
    evidence = evidence_of(turn)
    status = status_in(turn, evidence)
    return Inspection(
        saw=tuple(_seen(turn, evidence.shown, "shown")),
        result=(*_given(status), *_seen(turn, evidence.after, "after")),
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


def _given(status: wire.ActionStatus | None) -> Iterator[Passage]:
    if status is None:
        return
    yield Passage("result", status.state.replace("_", " "))
    yield Passage("evidence", effect_of(Done(status.requested, status)).whole)
