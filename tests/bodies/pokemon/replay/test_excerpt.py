"""A short run in the recorded shape, with the values that the rules give for it."""

from typing import Any


def test_every_turn_is_as_the_rules_say(excerpt: list[Any]):
    assert len(excerpt) == 17
    for turn in excerpt:
        ours, recorded = turn.line, turn.recorded
        for part in ("objective", "objectiveRetired", "outcome", "action", "notes"):
            assert ours["turn"][part] == recorded["turn"][part], (turn.number, part)
        for stage in ("progressBefore", "progressAfter"):
            assert ours["evidence"][stage] == recorded["evidence"][stage], (turn.number, stage)
        for signal, value in recorded["evidence"]["signals"].items():
            assert ours["evidence"]["signals"][signal] == value, (turn.number, signal)


def test_the_same_effect_counts_whatever_the_action_was(excerpt: list[Any]):
    """K19: two presses against a wall and a wait, all without effect."""
    assert excerpt[5].line["evidence"]["signals"]["repeatingForTurns"] == 3
    assert [t.line["turn"]["action"]["kind"] for t in excerpt[2:5]] == [
        "button_press",
        "button_press",
        "frame_advance",
    ]


def test_what_a_refusal_carries_reaches_the_model_and_the_trail(excerpt: list[Any]):
    refused = excerpt[5].line

    assert "(2,2)" in refused["turn"]["effectAdvice"]
    assert refused["evidence"]["actionResult"]["result"]["refusal"] == {
        "reason": "walk_target_impassable",
        "nearestOpen": {"mapId": "harbor-town", "x": 2, "y": 2},
    }


def test_a_talk_that_was_read_and_a_way_that_worked_are_told(excerpt: list[Any]):
    signals = excerpt[16].line["evidence"]["signals"]

    assert signals["verifiedInteractions"] == [
        'A facing localId 4 at (2,1) opened "The boats are out. / Come back at noon."'
    ]
    assert signals["knownTransitions"] == [
        "from harbor-town (4,4): walk to (7,5) led to harbor-town/boathouse (2,2)"
    ]


def test_a_wall_is_told_only_on_its_own_tile(excerpt: list[Any]):
    refused = [turn.line["evidence"]["signals"]["refusedHere"] for turn in excerpt]

    assert refused[3] == ["right"]
    assert refused[7] == []
    assert refused[8] == ["right"]
