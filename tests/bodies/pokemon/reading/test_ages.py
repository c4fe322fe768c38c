"""The same play, as recorders of other ages and games left it, is judged the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from foreign_journals import write_lines, write_older
from played_journal import write_journal

from kernel.bodies import body_of_environment
from kernel.journal.evaluation.evaluate import Evaluated, evaluate
from kernel.journal.evaluation.side_logs import LifecycleEvents, Receipts
from kernel.journal.projection import JournalReading
from kernel.journal.verify import verify

Lines = list[dict[str, Any]]


def reading_of(environment_id: str) -> JournalReading | None:
    kind = body_of_environment(environment_id)
    return kind.reading() if kind else None


def judged(path: Path) -> Evaluated:
    return evaluate(path, reading_of, LifecycleEvents(), Receipts())


@pytest.fixture
def played(tmp_path: Path) -> Path:
    return write_journal(tmp_path / "played", 60)


def in_emerald(lines: Lines) -> None:
    for line in lines:
        line["environmentId"] = "pokemon-emerald"


def named_by_its_scenario(lines: Lines) -> None:
    lines[0]["scenarioId"] = "world:pokemon-emerald"


def named_by_nothing(lines: Lines) -> None:
    lines[0] = {
        "kind": "header",
        "schemaVersion": 1,
        "scenarioId": "the-first-hour",
        "startedAt": lines[0]["startedAt"],
    }


def without_what_came_later(lines: Lines) -> None:
    for line in lines[1:]:
        own = line["turn"]
        for name in ("clipped", "usage", "effectAdvice", "objectiveRetired", "framebufferSha256"):
            own.pop(name, None)
        del line["evidence"]["progressAfter"]
        line["evidence"].pop("window", None)


def with_fields_of_later(lines: Lines) -> None:
    for line in lines[1:]:
        line["mood"] = line["turn"]["mood"] = {"of": ["late"]}
        line["evidence"]["weather"] = None
        line["evidence"]["signals"]["dizzyForTurns"] = 3


@pytest.mark.parametrize(
    "change",
    [in_emerald, named_by_its_scenario, named_by_nothing, without_what_came_later,
     with_fields_of_later],
)  # fmt: skip
def test_a_turn_is_judged_the_same_whatever_recorded_it(
    played: Path, tmp_path: Path, change: Callable[[Lines], None]
) -> None:
    path = write_older(played, tmp_path / "older.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    change(lines)
    write_lines(path, *lines)
    assert judged(path).evaluation.turns == judged(played).evaluation.turns
    assert verify(path, reading_of) == []


def test_an_older_turn_without_evidence_is_judged_by_its_words_alone(
    played: Path, tmp_path: Path
) -> None:
    path = write_older(played, tmp_path / "older.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines[1:]:
        line["schemaVersion"] = 1
        del line["evidence"]
    write_lines(path, *lines)
    known = judged(played).evaluation.turns
    for turn, before in zip(judged(path).evaluation.turns, known, strict=True):
        assert turn.verdicts.intent_to_action == before.verdicts.intent_to_action
        assert turn.verdicts.plan_continuity == before.verdicts.plan_continuity
        assert turn.verdicts.rejection_recovery == before.verdicts.rejection_recovery
        assert turn.verdicts.scene_action_appropriateness == "unknown"
        assert turn.verdicts.movement_effectiveness in ("unknown", "not_applicable")
        assert (turn.timing.decision_ms, turn.movement.start) == (None, None)


RETIRED = {
    '{"kind":"save_checkpoint","label":"mill"}': ("stand at the mill", "aligned"),
    '{"kind":"load_checkpoint","checkpointId":"c-1"}': ("rewind", "aligned"),
    '{"kind":"restart_game"}': ("walk on", "misaligned"),
    '{"kind":"dance","tempo":{"bpm":120}}': ("hold still", "aligned"),
}


@pytest.mark.parametrize(("action", "told"), RETIRED.items())
def test_a_retired_action_is_judged_by_its_words_and_never_as_one_that_did_nothing(
    played: Path, tmp_path: Path, action: str, told: tuple[str, str]
) -> None:
    path = write_older(played, tmp_path / "older.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[1]["turn"] |= {"action": json.loads(action), "intent": told[0], "outcome": "accepted"}
    write_lines(path, *lines)
    verdicts = judged(path).evaluation.turns[0].verdicts
    assert verdicts.intent_to_action == told[1]
    assert verdicts.movement_effectiveness == "not_applicable"
    assert verdicts.rejection_recovery == "not_applicable"
    assert verdicts.narration == ("no_attempt" if lines[1]["turn"]["speak"] else "model_silent")
