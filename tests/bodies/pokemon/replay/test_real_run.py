"""A real run, played again. The recorder followed older rules; every turn that differs is named.

- K18: the recorder's states held whether input was ready, and it told two undecoded screens apart
  by nothing; here readiness is no part of a state, and the picture tells undecoded screens apart.
- K19: the recorder compared effects by their words, with step counts and guesses in them.
- K20: the recorder retired objectives in battles and intros too. What follows from that: an
  objective that was not retired stands longer.
"""

import hashlib
import json
from typing import Any

import pytest

K18, K19, K20 = "K18", "K19", "K20"

RECURRING = {
    **dict.fromkeys(range(5, 22), K18),  # the intro: its pictures differ
    **dict.fromkeys((59, *range(69, 75), 76, 77, 81, 82), K18),  # only readiness differed
    **dict.fromkeys(range(94, 115), K18),  # the battle with the rival: its pictures differ
    **dict.fromkeys(range(148, 160), K18),  # two battles in the grass
}
REPEATING = {
    43: K19,  # three walks of different lengths, stopped by the same person
    63: K19,  # reading with nothing to read: nothing changed, as in the seven turns before
    64: K19,
}
RETIRED = {
    13: K20,  # in the intro
    60: K18,  # states recur one turn earlier, so warning and retiring come one turn earlier
    61: K18,
    101: K20,  # in a battle
    149: K20,  # in a battle
}


@pytest.mark.parametrize(
    ("signal", "differs"),
    [
        ("stalledForTurns", {}),
        ("recurringForTurns", RECURRING),
        ("repeatingForTurns", REPEATING),
        ("localeForTurns", {}),
        ("refusedHere", {}),
        ("knownHardFailures", {}),
    ],
)
def test_signals_are_the_recorded_ones(real_run: list[Any], signal: str, differs: dict[int, str]):
    different = [
        turn.number
        for turn in real_run
        if turn.line["evidence"]["signals"][signal] != turn.recorded["evidence"]["signals"][signal]
    ]

    assert different == sorted(differs)


def test_objectives_are_retired_where_they_were(real_run: list[Any]):
    different = [
        turn.number
        for turn in real_run
        if turn.line["turn"]["objectiveRetired"] != turn.recorded["turn"]["objectiveRetired"]
    ]

    assert different == sorted(RETIRED)
    assert real_run[40].line["turn"]["objectiveRetired"] == "talk to Oak and get a starter"
    assert real_run[60].line["turn"]["objectiveRetired"] == "find Oak and get a starter"


def test_an_objective_counts_on_until_it_is_retired(real_run: list[Any]):
    different = [
        turn.number
        for turn in real_run
        if turn.line["evidence"]["signals"]["objectiveForTurns"]
        != turn.recorded["evidence"]["signals"]["objectiveForTurns"]
    ]

    after_a_retirement = {14, 15, 61, *range(102, 110), *range(150, 160)}
    assert set(different) == after_a_retirement


def test_the_objective_slot_stays_empty_in_its_loop_and_no_longer(real_run: list[Any]):
    recovering = [t.number for t in real_run if t.line["evidence"]["signals"]["objectiveRecovery"]]

    assert recovering == [41, 42, 43, 44, 61, 62, 63, 64]
    assert all(real_run[number].line["turn"]["objective"] is None for number in recovering)


def test_progress_is_the_recorded_one(real_run: list[Any]):
    for turn in real_run:
        for stage in ("progressBefore", "progressAfter"):
            ours, recorded = turn.line["evidence"][stage], turn.recorded["evidence"][stage]
            assert ours == recorded, (turn.number, stage)


def test_outcomes_and_actions_are_the_recorded_ones(real_run: list[Any]):
    for turn in real_run:
        for part in ("outcome", "action", "intent", "monologue", "notes"):
            assert turn.line["turn"][part] == turn.recorded["turn"][part], (turn.number, part)


def test_evidence_has_the_recorded_shape(real_run: list[Any]):
    for turn in real_run:
        for stage in ("decision", "immediatePreAction", "postAction"):
            recorded = turn.recorded["evidence"]["decision" if "Pre" in stage else stage]
            ours = turn.line["evidence"][stage]
            assert ours is not None, turn.number
            assert [_told(seen) for seen in ours["observations"]] == [
                _told(seen) for seen in recorded["observations"]
            ]
            assert ours["provenance"].keys() == recorded["provenance"].keys()


def test_results_have_the_recorded_shape(real_run: list[Any]):
    for turn in real_run:
        ours = turn.line["evidence"]["actionResult"]
        recorded = turn.recorded["evidence"]["actionResult"]
        assert ours["source"] == recorded["source"]
        for field in ("actionId", "status", "errorCode", "retryable", "message"):
            assert ours["result"].get(field) == recorded["result"].get(field), turn.number
        outcome = dict(recorded["result"].get("outcome") or {})
        if outcome.get("kind") == "enter_text":
            del outcome["presses"]  # the seat's wire does not carry it
        assert (ours["result"].get("outcome") or {}) == outcome


def test_the_digest_of_what_was_shown_is_that_of_the_canonical_json(real_run: list[Any]):
    for turn in real_run:
        observations = turn.line["evidence"]["decision"]["observations"]
        canonical = json.dumps(
            observations, separators=(",", ":"), sort_keys=True, ensure_ascii=False
        )
        digest = hashlib.sha256(canonical.encode()).hexdigest()
        assert turn.line["turn"]["observationSha256"] == digest


def test_the_notables_of_the_run(real_run: list[Any]):
    told = [(turn.number, kind) for turn in real_run for kind in turn.notables]

    assert told == [
        (60, "objective_retired_twice"),
        (70, "stuck"),  # twelve turns at a fully recurring window, all with a position
    ]


def _told(seen: dict[str, Any]) -> dict[str, Any]:
    """An observation without what names the run, and without words of its own."""
    data = dict(seen["data"])
    data.pop("summary", None)
    if "ramStateSha256" in data:
        data["ramStateSha256"] = None
        data["exits"] = {**data["exits"], "connections": None}
    kept = {k: v for k, v in seen.items() if k not in ("observationId", "characterId", "data")}
    return {**kept, "sessionId": "", "worldId": "", "data": data}
