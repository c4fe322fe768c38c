from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from played_journal import write_journal

from kernel.journal.damage import JournalDamaged
from kernel.journal.evaluation.comparison import compared
from kernel.journal.evaluation.evaluate import Evaluated, evaluate
from kernel.journal.evaluation.side_logs import LifecycleEvents, Receipts
from kernel.journal.evaluation.telling import COMPARISON, tell, tell_comparison
from kernel.journal.projection import canonical

WriteLines = Callable[..., Path]

HEADER = {
    "kind": "header",
    "schemaVersion": 1,
    "scenarioId": "an-older-run",
    "startedAt": "2026-03-01T10:00:00Z",
}
RUN = {"runId": "r1", "journeyId": "j", "environmentId": "x", "environmentSessionId": "s"}


def turn(number: int, **fields: Any) -> dict[str, Any]:
    own = {
        "turn": number,
        "observationSha256": None,
        "monologue": "m",
        "intent": "walk north",
        "notes": None,
        "objective": "the mill",
        "action": {"kind": "wait"},
        "outcome": "accepted",
    }
    return {"kind": "turn", "schemaVersion": 1, "turn": own | fields}


def run_of(path: Path) -> Evaluated:
    return evaluate(path, canonical, LifecycleEvents(), Receipts())


def as_json(run: Evaluated) -> dict[str, Any]:
    return json.loads(msgspec.json.encode(run.evaluation))


def test_the_oldest_journals_are_evaluated_and_what_they_lack_is_unknown(
    write_lines: WriteLines,
) -> None:
    run = run_of(write_lines("j.jsonl", HEADER, turn(0), turn(1, objective=None)))
    got = as_json(run)
    assert got["run"] == {
        "runId": None,
        "scenarioId": "an-older-run",
        "journalSchemaVersion": 1,
        "startedAt": "2026-03-01T10:00:00Z",
        "terminal": {
            "source": "unknown",
            "outcome": None,
            "at": None,
            "summaryPresent": False,
            "lifecycleEventType": None,
            "lifecycleConsistent": None,
        },
    }
    assert got["turns"][1] == {
        "turn": 1,
        "at": None,
        "movement": {
            "attempted": False,
            "start": None,
            "target": None,
            "end": None,
            "effectiveness": "unknown",
        },
        "communication": {"deliveryId": None, "matchingReceiptTypes": []},
        "verdicts": {
            "intentToAction": "unknown",
            "goalToAction": "unknown",
            "planContinuity": "cleared",
            "sceneActionAppropriateness": "unknown",
            "movementEffectiveness": "unknown",
            "rejectionRecovery": "not_applicable",
            "narration": "model_silent",
        },
        "timing": {"decisionMs": None, "actionMs": None},
    }
    nothing = {"known": 0, "unknown": 2, "totalMs": 0, "averageMs": None}
    assert got["aggregate"]["timing"] == {"decision": nothing, "action": nothing}
    assert got["aggregate"]["stalls"] == {
        "signalledTurns": 0,
        "maxTurnsSinceNewTile": 0,
        "maxRepeatedTurns": 0,
        "maxRecurringTurns": 0,
    }
    assert got["aggregate"]["summary"] is None
    assert set(got) == {"schemaVersion", "run", "aggregate", "turns"}


def test_a_summary_is_told_without_its_envelope_and_with_the_defaults_that_it_lacks(
    write_lines: WriteLines,
) -> None:
    summary = {
        "kind": "summary",
        "schemaVersion": 1,
        "at": "2026-03-01T11:00:00Z",
        "outcome": "finished",
        "turnsTaken": 1,
        "progress": {"maps": ["meadow"]},
    }
    got = as_json(run_of(write_lines("j.jsonl", HEADER, turn(0), summary)))
    assert got["run"]["terminal"]["source"] == "summary"
    assert got["run"]["terminal"]["at"] == "2026-03-01T11:00:00Z"
    told = got["aggregate"]["summary"]
    assert told["turnsTaken"] == 1
    assert told["progress"] == {"maps": ["meadow"]}
    assert told["objectivesRetired"] == 0
    assert told["volition"]["skipped"] == 0
    assert not {"kind", "schemaVersion", "at", "runId"} & set(told)


def test_a_turn_without_a_line_is_joined_and_marked(write_lines: WriteLines) -> None:
    decision = {
        "kind": "decision",
        "schemaVersion": 2,
        "turn": 1,
        "attempt": 0,
        "decision": {"monologue": "m", "intent": "i", "action": {"kind": "wait"}},
    }
    run = run_of(write_lines("j.jsonl", HEADER, turn(0), decision))
    got = as_json(run)
    assert "recovered" not in got["turns"][0]
    assert got["turns"][1]["recovered"] is True
    assert got["turns"][1]["verdicts"]["planContinuity"] == "continued"
    assert got["aggregate"]["recoveredTurns"] == 1
    assert got["aggregate"]["outcomes"] == {"accepted": 1, "unknown": 1}
    assert "1 recovered" in tell(run)


def test_what_was_passed_over_is_told(write_lines: WriteLines) -> None:
    path = write_lines("j.jsonl", HEADER, turn(0))
    path.write_bytes(path.read_bytes() + b'{"kind":"tu')
    receipts = Receipts().read(write_lines("receipts.jsonl", "?", "?"))
    events = LifecycleEvents().read(write_lines("events.jsonl", "?"))
    run = evaluate(path, canonical, events, receipts)
    assert as_json(run)["unreadable"] == {
        "lifecycleLines": 1,
        "receiptLines": 2,
        "tornTailBytes": 11,
    }
    assert "2 receipt lines that do not parse" in tell(run)


@pytest.mark.parametrize("content", [b"", b'{"kind":"header"'])
def test_a_file_without_a_whole_header_is_damaged(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(content)
    with pytest.raises(JournalDamaged, match="no header"):
        run_of(path)


def test_usage_comes_from_its_lines_then_the_summary_then_the_turns(
    write_lines: WriteLines,
) -> None:
    used = turn(0, usage={"input": 70, "output": 30, "cost": 0.5})
    free = turn(1)
    summary = {
        "kind": "summary",
        "outcome": "stopped",
        "turnsTaken": 2,
        "usage": {"charged": 500},
    }
    call = {
        "kind": "usage",
        "callId": "c",
        "stage": "reserved",
        "role": "mind",
        "provider": "p",
        "model": "m",
        "charged": 16000,
    }
    by_turns = run_of(write_lines("a.jsonl", HEADER, used, free)).spent
    assert (by_turns.tokens, by_turns.cost) == (100, 0.5)
    by_summary = run_of(write_lines("b.jsonl", HEADER, used, summary)).spent
    assert (by_summary.tokens, by_summary.cost) == (500, None)
    by_lines = run_of(write_lines("c.jsonl", HEADER, call, used, summary)).spent
    assert (by_lines.tokens, by_lines.cost, by_lines.estimated) == (16000, None, True)
    unknown = run_of(write_lines("d.jsonl", HEADER, free)).spent
    assert (unknown.tokens, unknown.cost) == (None, None)


def test_one_turn_of_unknown_cost_makes_the_sum_unknown(write_lines: WriteLines) -> None:
    priced = turn(0, usage={"charged": 100, "cost": 0.5})
    unpriced = turn(1, usage={"charged": 50})
    spent = run_of(write_lines("j.jsonl", HEADER, priced, unpriced)).spent
    assert (spent.tokens, spent.cost) == (150, None)


def test_an_unknown_number_is_compared_as_unknown_and_never_as_zero(
    write_lines: WriteLines,
) -> None:
    path = write_lines("j.jsonl", HEADER | RUN, turn(0))
    row = compared(path, run_of(path))
    assert row.cost_per_turn is None
    assert row.tokens_per_turn is None
    assert row.tiles_per_action is None
    assert row.acceptance == 1.0
    (cells,) = tell_comparison([row])
    assert dict(zip(COMPARISON, cells, strict=True))["COST/TURN>"] == "–"


def test_a_run_without_turns_is_told(write_lines: WriteLines) -> None:
    path = write_lines("j.jsonl", HEADER)
    run = run_of(path)
    assert run.evaluation.turns == ()
    assert "none" in tell(run)
    assert compared(path, run).acceptance is None


def test_a_long_run_is_counted_once_for_each_turn(tmp_path: Path) -> None:
    path = write_journal(tmp_path, 90)
    run = run_of(path)
    assert run.evaluation.aggregate.turns == 90
    assert sum(run.evaluation.aggregate.outcomes.values()) == 90
    assert run.evaluation.run.terminal.outcome == "finished"
    assert run.spent.cost is not None
    assert compared(path, run).model == "careful-8b"
    assert "careful-8b" in tell(run)


@pytest.mark.parametrize(
    ("header", "asked"),
    [
        ({"environmentId": "minecraft", "scenarioId": "world:x"}, ["minecraft"]),
        ({"scenarioId": "world:pokemon-firered"}, ["world", "pokemon-firered", ""]),
        ({"scenarioId": "new-game"}, ["new-game", ""]),
    ],
)
def test_an_older_header_is_read_by_its_scenario_or_as_one_that_names_nothing(
    write_lines: WriteLines, header: dict[str, str], asked: list[str]
) -> None:
    questions: list[str] = []

    def nobody(environment_id: str) -> None:
        questions.append(environment_id)

    evaluate(write_lines("j.jsonl", HEADER | header), nobody, LifecycleEvents(), Receipts())
    assert questions == asked
