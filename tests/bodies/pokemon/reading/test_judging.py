from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bodies.pokemon.reading import PokemonReading
from kernel.journal.damage import JournalDamaged
from kernel.journal.evaluation.verdicts import Judgement, Position, Target
from kernel.journal.recorded import RecordedTurn, recorded

HERE = {"mapId": "meadow", "x": 3, "y": 4}
THERE = {"mapId": "meadow", "x": 3, "y": 5}
INSIDE = {"mapId": "mill", "x": 3, "y": 4}
WALK = {"kind": "walk_to", "x": 3, "y": 5}
PRESS_UP = {"kind": "button_press", "button": "up", "holdFrames": 16}
PRESS_A = {"kind": "button_press", "button": "a", "holdFrames": 8}
READING = PokemonReading()


def moment(
    mode: str | None = "overworld",
    ready: bool | None = True,
    waiting: bool = False,
    at: dict[str, Any] | None = None,
) -> dict[str, Any]:
    scene: dict[str, Any] = {"waitingForDialogAdvance": waiting}
    if mode is not None:
        scene["mode"] = mode
    if ready is not None:
        scene["inputReady"] = ready
    seen: list[dict[str, Any]] = [
        {"kind": "something_new", "data": {"position": "left"}},
        {"kind": "scene", "data": scene},
    ]
    if at is not None:
        seen.append({"kind": "overworld", "data": {"position": at}})
    return {"observations": seen, "provenance": {}}


def turn(
    action: dict[str, Any] | None, evidence: dict[str, Any] | None = None, **said: Any
) -> RecordedTurn:
    own = {
        "turn": 7,
        "observationSha256": None,
        "monologue": "m",
        "intent": None,
        "notes": None,
        "action": action,
        "outcome": "accepted",
    }
    line = {"kind": "turn", "schemaVersion": 2, "turn": own | said, "evidence": evidence}
    return recorded(Path("j.jsonl"), 3, READING.project(json.dumps(line).encode()))


def judged(*of: Any, **said: Any) -> Judgement:
    return READING.judge(turn(*of, **said))


@pytest.mark.parametrize(
    ("action", "shown", "verdict"),
    [
        (WALK, moment("overworld", ready=True), "appropriate"),
        (WALK, moment("overworld", ready=False), "inappropriate"),
        (WALK, moment("dialog", ready=True), "inappropriate"),
        (WALK, moment("unknown", ready=True), "inappropriate"),
        (WALK, moment("overworld", ready=None), "unknown"),
        ({"kind": "enter_text", "text": "ADA"}, moment("naming"), "appropriate"),
        ({"kind": "enter_text", "text": "ADA"}, moment("menu"), "inappropriate"),
        ({"kind": "select_menu_entry", "entryId": "yes"}, moment("menu"), "appropriate"),
        ({"kind": "select_menu_entry", "entryId": "yes"}, moment("battle"), "inappropriate"),
        ({"kind": "advance_dialog"}, moment("dialog", ready=True), "appropriate"),
        ({"kind": "advance_dialog"}, moment("battle", ready=True), "appropriate"),
        ({"kind": "advance_dialog"}, moment("overworld", ready=False), "appropriate"),
        ({"kind": "advance_dialog"}, moment("overworld", waiting=True), "appropriate"),
        ({"kind": "advance_dialog"}, moment("overworld", ready=True), "inappropriate"),
        ({"kind": "advance_dialog"}, moment("overworld", ready=None), "unknown"),
        (PRESS_A, moment("unknown", ready=False), "appropriate"),
        ({"kind": "frame_advance", "frames": 9}, moment("unknown"), "appropriate"),
        ({"kind": "save_checkpoint", "label": "x"}, moment("unknown"), "inappropriate"),
        (PRESS_A, moment("battle"), "unknown"),
        ({"kind": "frame_advance", "frames": 9}, moment("cutscene"), "unknown"),
        ({"kind": "restart_game"}, moment("overworld"), "unknown"),
        (WALK, moment(None), "unknown"),
        (None, moment("overworld"), "unknown"),
        (WALK, None, "unknown"),
    ],
)
def test_an_action_fits_the_scene_that_it_was_decided_in(
    action: dict[str, Any] | None, shown: dict[str, Any] | None, verdict: str
) -> None:
    # What came after the decision tells nothing about whether it fitted.
    evidence = {"decision": shown, "immediatePreAction": moment("naming", ready=False)}
    assert judged(action, evidence).scene_action == verdict
    assert judged(action, None).scene_action == "unknown"


@pytest.mark.parametrize(
    ("action", "outcome", "before", "after", "verdict"),
    [
        (WALK, "accepted", HERE, THERE, "effective"),
        (WALK, "accepted", HERE, INSIDE, "effective"),
        (WALK, "accepted", HERE, HERE, "ineffective"),
        (WALK, "rejected_by_adapter", HERE, THERE, "ineffective"),
        (WALK, "rejected_by_adapter", HERE, None, "unknown"),
        (WALK, "accepted", None, THERE, "unknown"),
        (PRESS_UP, "accepted", HERE, THERE, "effective"),
        (PRESS_UP, "state_changed", HERE, THERE, "ineffective"),
        (PRESS_A, "accepted", HERE, THERE, "not_applicable"),
        ({"kind": "advance_dialog"}, "accepted", None, None, "not_applicable"),
        (
            {"kind": "load_checkpoint", "checkpointId": "c"},
            "accepted",
            HERE,
            THERE,
            "not_applicable",
        ),
        (None, "mind_failed", HERE, HERE, "not_applicable"),
    ],
)
def test_a_movement_is_effective_when_the_player_stands_elsewhere(
    action: dict[str, Any] | None,
    outcome: str,
    before: dict[str, Any] | None,
    after: dict[str, Any] | None,
    verdict: str,
) -> None:
    evidence = {
        "decision": moment(at=INSIDE),
        "immediatePreAction": moment(at=before),
        "postAction": moment(at=after),
    }
    movement = judged(action, evidence, outcome=outcome).movement
    assert movement.effectiveness == verdict
    assert movement.attempted is (verdict != "not_applicable")
    assert movement.target == (Target(x=3, y=5) if action == WALK else None)
    assert movement.start == (Position(**_snake(before)) if before else None)


@pytest.mark.parametrize("action", [WALK, PRESS_UP])
def test_a_movement_without_evidence_is_unknown(action: dict[str, Any]) -> None:
    movement = judged(action, None).movement
    assert movement.effectiveness == "unknown"
    assert movement.attempted


@pytest.mark.parametrize(
    ("action", "intent", "verdict"),
    [
        (WALK, "Head for the mill", "aligned"),
        (WALK, "read the sign", "misaligned"),
        (WALK, None, "unknown"),
        (None, "walk on", "unknown"),
        (PRESS_A, "press A", "aligned"),
        (PRESS_A, "say hello", "misaligned"),
        ({"kind": "save_checkpoint", "label": "at the GATE"}, "stand at the gate", "aligned"),
        ({"kind": "load_checkpoint", "checkpointId": "c-9"}, "back to C-9", "aligned"),
        ({"kind": "restart_game"}, "start over", "aligned"),
        ({"kind": "dance"}, "wait here", "aligned"),
        ({"kind": "sing", "text": ["la"], "button": 3}, "hold on", "aligned"),
        ({"kind": "dance"}, "dance", "misaligned"),
    ],
)
def test_an_intent_is_aligned_when_it_names_the_action(
    action: dict[str, Any] | None, intent: str | None, verdict: str
) -> None:
    assert judged(action, intent=intent).intent_to_action == verdict
    # The same words as an objective: what does not match is not known to be wrong.
    goal = judged(action, objective=intent).goal_to_action
    assert goal == ("unknown" if verdict == "misaligned" else verdict)


@pytest.mark.parametrize(
    ("began", "settled", "milliseconds"),
    [
        ("2026-03-01T10:00:00.000Z", "2026-03-01T10:00:01.234Z", 1234),
        ("2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z", 0),
        ("2026-03-01T10:00:01.000Z", "2026-03-01T10:00:00.999Z", None),
        ("2026-03-01T10:00:00.000Z", None, None),
        (None, "2026-03-01T10:00:00.000Z", None),
    ],
)
def test_a_time_that_is_missing_or_negative_is_unknown(
    began: str | None, settled: str | None, milliseconds: int | None
) -> None:
    evidence = {"timing": {"decisionStartedAt": began, "decisionSettledAt": settled}}
    of = judged(WALK, evidence)
    assert (of.decision_ms, of.action_ms) == (milliseconds, None)


def test_stalls_are_read_from_the_signals_and_from_the_progress_before() -> None:
    of = judged(
        WALK,
        {
            "progressBefore": {"turnsSinceNewTile": 14},
            "progressAfter": {"turnsSinceNewTile": 99},
            "signals": {"stalledForTurns": 14, "repeatingForTurns": 3, "recurringForTurns": None},
        },
    )
    assert (of.stalled, of.turns_since_new_tile) == (True, 14)
    assert (of.repeated_turns, of.recurring_turns) == (3, 0)
    assert not judged(WALK, {"signals": {"stalledForTurns": None}}).stalled


def test_the_last_place_that_a_turn_saw_is_its_place() -> None:
    assert judged(WALK, {"decision": moment(at=HERE)}).place == "meadow"
    assert judged(WALK, {"decision": moment(at=HERE), "postAction": moment(at=INSIDE)}).place == (
        "mill"
    )
    assert judged(WALK, {"decision": moment()}).place is None


@pytest.mark.parametrize(
    ("evidence", "action", "field"),
    [
        ({"decision": 7}, WALK, "evidence.decision"),
        (
            {"decision": moment(), "signals": {"stalledForTurns": -1}},
            WALK,
            "evidence.signals.stalledForTurns",
        ),
        (
            {"immediatePreAction": moment(at={"mapId": "m", "x": "1", "y": 1})},
            WALK,
            "evidence.immediatePreAction.overworld.position.x",
        ),
        (
            {"postAction": moment(at={"mapId": "m", "x": 10**30, "y": 1})},
            WALK,
            "evidence.postAction.overworld.position.x",
        ),
        ({"timing": {"decisionStartedAt": "yesterday"}}, WALK, "evidence.timing.decisionStartedAt"),
        (
            {"timing": {"decisionStartedAt": "2026-03-01T10:00:00"}},
            WALK,
            "evidence.timing.decisionStartedAt",
        ),
        (None, {"kind": "walk_to", "x": 1.5, "y": 1}, "turn.action.x"),
        (None, {"kind": 7}, "turn.action.kind"),
        (None, {"button": "a"}, "turn.action.kind"),
    ],
)
def test_damage_in_what_is_judged_names_its_field(
    evidence: dict[str, Any] | None, action: dict[str, Any], field: str
) -> None:
    with pytest.raises(JournalDamaged) as raised:
        judged(action, evidence)
    assert (raised.value.line, raised.value.field) == (3, field)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (WALK, "walk to 3,5"),
        (PRESS_A, "press A"),
        ({"kind": "button_press", "button": "a", "repeat": 4}, "press A ×4"),
        ({"kind": "frame_advance", "frames": 45}, "wait 45 frames"),
        ({"kind": "enter_text", "text": "ADA"}, 'write "ADA"'),
        ({"kind": "select_menu_entry", "entryId": "yes"}, "choose yes"),
        ({"kind": "advance_dialog"}, "read on"),
        ({"kind": "save_checkpoint"}, "save checkpoint"),
        (None, ""),
    ],
)
def test_an_action_is_told_in_a_few_words(action: dict[str, Any] | None, words: str) -> None:
    assert judged(action).action == words
    assert judged(action).action_kind == (action["kind"] if action else None)


def test_a_turn_is_opened_into_what_was_seen_and_what_came_of_it() -> None:
    overworld = {
        "position": HERE,
        "facing": "south",
        "minimap": {"topLeft": {"x": 1, "y": 2}, "rows": ["#.", ".D"]},
    }
    menu = {"menuId": "gate", "cursor": 1, "entries": [{"id": "a", "label": "Go"}, {"id": "b"}]}
    shown = {
        "observations": [
            {"kind": "scene", "data": {"mode": "menu", "inputReady": False}},
            {"kind": "overworld", "data": overworld},
            {"kind": "dialog", "data": {"lines": ["Hello.", "Which way?"]}},
            {"kind": "menu", "data": menu},
        ]
    }
    ran = {
        "status": "completed",
        "outcome": {"inputsSpent": 2, "framesSpent": 30, "screenChanged": False, "steps": 3,
                    "plannedSteps": 5, "blockedBecause": "npc", "transcript": ["Hm."]},
    }  # fmt: skip
    opened = READING.inspect(
        turn(WALK, {"decision": shown, "actionResult": {"source": "environment", "result": ran}})
    )
    assert {passage.label: passage.text for passage in opened.saw} == {
        "scene": "menu, not ready",
        "place": "meadow (3,4), facing south",
        "around": "#.\n.D",
        "text": "Hello.\nWhich way?",
        "menu": "gate\n  Go\n▸ b",
    }
    assert {passage.label: passage.text for passage in opened.result} == {
        "result": "completed, by environment",
        "read": "Hm.",
        "steps": "3 of 5, stopped by npc",
        "spent": "2 inputs, 30 frames, the screen did not change",
    }
    (around,) = opened.surroundings
    assert (around.map_id, around.x, around.y, around.rows) == ("meadow", 1, 2, ("#.", ".D"))


def test_a_turn_without_evidence_opens_into_nothing() -> None:
    opened = READING.inspect(turn(WALK))
    assert (opened.saw, opened.result, opened.surroundings) == ((), (), ())


def _snake(position: dict[str, Any]) -> dict[str, Any]:
    return {"map_id": position["mapId"], "x": position["x"], "y": position["y"]}
