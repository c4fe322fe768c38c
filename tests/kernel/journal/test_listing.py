from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from played_journal import write_journal

from kernel.journal.damage import JournalDamaged
from kernel.journal.evaluation.side_logs import LifecycleEvents
from kernel.journal.lines import Decided, DecisionLine, NotableLine, SummaryLine, TurnLine, opaque
from kernel.journal.listing import Wanted, list_runs, run_at
from kernel.journal.writer import JournalWriter

SILENT = LifecycleEvents()
"""Nobody says how runs ended."""

OpenWriter = Callable[..., JournalWriter]
MakeTurn = Callable[..., TurnLine]


def test_a_run_is_listed_from_its_first_line_and_its_end(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer()
    for number in range(3):
        journal.write(make_turn(number))
    going_on = run_at(journal.path, SILENT)
    assert going_on is not None
    assert (going_on.outcome, going_on.turns, going_on.torn) == (None, 3, False)
    journal.write(NotableLine(notable="stuck"))
    journal.write(SummaryLine(outcome="stopped", turns_taken=3))
    run = run_at(journal.path, SILENT)
    assert run is not None
    assert (run.run_id, run.journey_id) == ("run-1", "world:w:player:p")
    assert (run.outcome, run.turns) == ("stopped", 3)
    assert run.bytes == journal.path.stat().st_size
    assert run.last_at is not None
    assert run.last_at > run.started_at


def test_a_turn_that_was_begun_counts(open_writer: OpenWriter, make_turn: MakeTurn) -> None:
    journal = open_writer()
    journal.write(make_turn(0))
    decided = Decided(monologue="m", intent="i", action=opaque({"kind": "wait"}))
    journal.write(DecisionLine(turn=1, attempt=0, decision=decided))
    run = run_at(journal.path, SILENT)
    assert run is not None
    assert run.turns == 2


@pytest.mark.parametrize("padding", [20_000, 200_000])
def test_a_last_turn_that_is_long_is_found(
    open_writer: OpenWriter, make_turn: MakeTurn, padding: int
) -> None:
    journal = open_writer()
    for number in range(4):
        journal.write(make_turn(number, notes="n" * padding))
    run = run_at(journal.path, SILENT)
    assert run is not None
    assert run.turns == 4


def test_a_run_without_a_turn_has_none_and_a_file_without_a_line_is_no_run(
    open_writer: OpenWriter, tmp_path: Path
) -> None:
    run = run_at(open_writer().path, SILENT)
    assert run is not None
    assert run.turns == 0
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert run_at(empty, SILENT) is None


def test_a_torn_tail_is_told_and_what_stands_before_it_counts(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer()
    journal.write(make_turn(0))
    with journal.path.open("ab") as file:
        file.write(b'{"kind":"turn","turn":{"tur')
    run = run_at(journal.path, SILENT)
    assert run is not None
    assert (run.turns, run.torn) == (1, True)


def test_damage_near_the_end_names_its_line(open_writer: OpenWriter, make_turn: MakeTurn) -> None:
    journal = open_writer()
    journal.write(make_turn(0))
    with journal.path.open("ab") as file:
        file.write(b'garbage\n{"kind":"notable"}\n')
    with pytest.raises(JournalDamaged) as raised:
        run_at(journal.path, SILENT)
    assert raised.value.line == 3


def test_runs_are_found_by_journey_run_time_and_outcome_newest_first(tmp_path: Path) -> None:
    for generation, journey, ended in ((1, "a", True), (2, "b", True), (3, "a", False)):
        write_journal(
            tmp_path,
            3,
            run_id=f"run-{generation}",
            journey_id=journey,
            generation=generation,
            with_summary=ended,
        )

    def found(wanted: Wanted) -> list[str | None]:
        return [run.run_id for run in list_runs(tmp_path, wanted, SILENT).runs]

    assert found(Wanted()) == ["run-3", "run-2", "run-1"]
    assert found(Wanted(journey="a")) == ["run-3", "run-1"]
    assert found(Wanted(outcome="finished")) == ["run-2", "run-1"]
    assert found(Wanted(outcome="unknown")) == ["run-3"]
    assert found(Wanted(runs={"run-2"})) == ["run-2"]
    second = list_runs(tmp_path, Wanted(runs={"run-2"}), SILENT).runs[0].started_at[:19]
    assert found(Wanted(since=second)) == ["run-3", "run-2"]
    assert found(Wanted(until=second)) == ["run-1"]


@pytest.mark.parametrize(
    ("with_summary", "event", "outcome", "told_by"),
    [
        (True, {"outcome": "crashed"}, "finished", "summary"),
        (False, {"outcome": "crashed"}, "crashed", "lifecycle"),
        (False, {}, "failed", "lifecycle"),
        (False, None, None, "unknown"),
    ],
)
def test_a_run_without_a_summary_ended_as_the_daemon_says(
    tmp_path: Path,
    with_summary: bool,
    event: dict[str, str] | None,
    outcome: str | None,
    told_by: str,
) -> None:
    journals = tmp_path / "journals"
    write_journal(journals, 3, with_summary=with_summary)
    log = tmp_path / "events.jsonl"
    ended = {"type": "embodiment.session.failed", "data": {"sessionId": "run-1", **(event or {})}}
    log.write_text("" if event is None else json.dumps(ended) + "\n")
    events = LifecycleEvents().read(log)
    (run,) = list_runs(journals, Wanted(), events).runs
    assert (run.outcome, run.told_by) == (outcome, told_by)
    assert list_runs(journals, Wanted(outcome=outcome or "unknown"), events).runs == (run,)
    assert list_runs(journals, Wanted(outcome="idle"), events).runs == ()


def test_a_bad_file_hides_no_other(tmp_path: Path) -> None:
    write_journal(tmp_path, 2)
    (tmp_path / "1.jsonl").write_bytes(b"\xff\xfe\n")
    (tmp_path / "2.jsonl").mkdir()
    (tmp_path / "notes.txt").write_text("no journal")
    found = list_runs(tmp_path, Wanted(), SILENT)
    assert len(found.runs) == 1
    assert len(found.bad) == 2


def test_reading_a_list_takes_no_more_of_a_larger_file(tmp_path: Path) -> None:
    path = write_journal(tmp_path, 40)
    middle = [json.dumps({"damaged": "x" * 900})] * 400
    first, *rest = path.read_text().splitlines()
    path.write_text("\n".join((first, *middle, *rest[-40:], "")))
    run = run_at(path, SILENT)
    assert run is not None
    assert run.outcome == "finished"
