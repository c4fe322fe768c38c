from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from foreign_journals import MINECRAFT, minecraft_turn, write_lines, write_minecraft

from bodies.minecraft.reading import MinecraftReading
from kernel.journal.evaluation.evaluate import Evaluated, evaluate
from kernel.journal.evaluation.side_logs import LifecycleEvents, Receipts
from kernel.journal.inspection import Inspection
from kernel.journal.recorded import RecordedTurn
from kernel.journal.run import RunWalk
from kernel.journal.story import story_of
from kernel.journal.verify import verify

READING = MinecraftReading()
HEADER = {
    "kind": "header",
    "schemaVersion": 2,
    "scenarioId": "minecraft:garden",
    "startedAt": "2026-03-01T10:00:00.000Z",
    "connectionGeneration": 1,
} | MINECRAFT
DIG = {"kind": "dig", "position": {"x": 3, "y": 64, "z": 4}}


def reading(_: str) -> MinecraftReading:
    return READING


def evaluated(path: Path) -> Evaluated:
    return evaluate(path, reading, LifecycleEvents(), Receipts())


def test_native_turns_are_counted_and_what_only_tiles_and_scenes_tell_is_unknown(
    tmp_path: Path,
) -> None:
    path = write_minecraft(tmp_path / "m.jsonl")
    assert verify(path, reading) == []
    run = evaluated(path)
    counts = run.evaluation.aggregate
    assert counts.outcomes == {"settled": 2, "mind_failed": 1}
    assert counts.scene_action_appropriateness == {"unknown": 3}
    assert counts.movement_effectiveness == {"unknown": 3}
    assert counts.intent_to_action == {"unknown": 3}
    assert counts.narration == {"model_silent": 2, "no_attempt": 1}
    assert (counts.timing.decision.known, counts.timing.decision.total_ms) == (3, 6_000)
    assert (counts.timing.action.known, counts.timing.action.total_ms) == (2, 8_000)
    assert (counts.stalls.signalled_turns, counts.stalls.max_repeated_turns) == (2, 2)
    assert run.spent.tokens == 3 * 960
    assert dict(run.proofs) == {"verified": 1, "refuted": 1}
    assert dict(run.plan) == {"unknown": 1, "continued": 2}


def only_turn(path: Path, *lines: dict[str, Any]) -> RecordedTurn:
    (turn,) = RunWalk(write_lines(path, HEADER, *lines), reading).turns()
    return turn


def labels(inspection: Inspection) -> list[str]:
    return [passage.label for passage in inspection.result]


def test_the_words_of_a_decision_are_told_where_a_recorder_left_them(tmp_path: Path) -> None:
    line = minecraft_turn(0, DIG, "refuted")
    line["turn"]["decision"] |= {"reply": "Yes.", "speak": "Look at this hole!"}
    path = tmp_path / "m.jsonl"
    turn = only_turn(path, line)
    assert (turn.turn.reply, turn.turn.speak) == ("Yes.", "Look at this hole!")
    assert evaluated(path).evaluation.aggregate.narration == {"no_attempt": 1}
    story = story_of([path], reading).story
    assert story is not None
    assert [moment.effect for moment in story.moments] == ["turn 0 happened"]


def test_an_action_of_a_retired_kind_is_named_and_its_meaning_is_not_known(
    tmp_path: Path,
) -> None:
    swim = {"kind": "swim_up", "depth": 3}
    path = tmp_path / "m.jsonl"
    turn = only_turn(path, minecraft_turn(0, swim, "verified"))
    assert READING.judge(turn).action == "swim up"
    assert labels(READING.inspect(turn)) == ["result", "scene"]
    assert verify(path, reading) == []


@pytest.mark.parametrize("missing", ["shown", "before", "after", "timing", "stalledForTurns"])
def test_evidence_that_a_recorder_left_out_is_unknown_and_no_damage(
    tmp_path: Path, missing: str
) -> None:
    line = minecraft_turn(0, DIG, "refuted")
    del line[missing]
    path = tmp_path / "m.jsonl"
    assert only_turn(path, line).turn.outcome == "settled"
    timing = evaluated(path).evaluation.turns[0].timing
    assert (timing.decision_ms is None) is (missing == "timing")


def test_without_a_status_nothing_is_claimed(tmp_path: Path) -> None:
    turn = only_turn(tmp_path / "m.jsonl", minecraft_turn(0, DIG, None))
    assert labels(READING.inspect(turn)) == ["scene"]
    assert READING.judge(turn).proof == "unknown"
