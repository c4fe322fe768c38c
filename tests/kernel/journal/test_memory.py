from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from kernel.journal.damage import JournalDamaged, JournalUnreadable
from kernel.journal.lines import Decided, DecisionLine, HeaderLine, TurnLine, opaque
from kernel.journal.memory import journey_memory
from kernel.journal.writer import JournalWriter

OpenWriter = Callable[..., JournalWriter]
MakeTurn = Callable[..., TurnLine]
JOURNEY = "world:w:player:p"


def test_memory_is_that_of_the_highest_generation_and_number(
    open_writer: OpenWriter, make_turn: MakeTurn, journals: Path
) -> None:
    """K17: not of the file that began last by the clock."""
    for run, generation, started, turns in [
        ("run-1", 9, "2026-03-01T10:00:00.000Z", 4),
        ("run-2", 10, "2026-02-01T10:00:00.000Z", 2),
        ("run-3", 2, "2026-03-03T10:00:00.000Z", 9),
    ]:
        journal = open_writer(run, generation=generation, started_at=started)
        for number in range(turns):
            journal.write(make_turn(number, notes=f"{run} {number}", objective=None))
    memory = journey_memory(journals, JOURNEY)
    assert memory.bad == ()
    assert memory.last is not None
    assert (memory.last.notes, memory.last.objective) == ("run-2 1", None)
    assert (memory.last.turn, memory.last.path.name[-11:]) == (1, "run-2.jsonl")


@pytest.mark.parametrize(
    ("runs", "notes"),
    [
        # run, generation, start, turns: the numbers decide where the generation was given twice
        ([("r1", 3, "01", 5), ("r2", 3, "02", 2)], "r1 4"),
        ([("r1", 3, "02", 2), ("r2", 3, "01", 5)], "r2 4"),
        ([("r1", 3, "01", 2), ("r2", 3, "02", 2)], "r2 1"),
        ([("r1", 3, "01", 5), ("r2", 3, "02", 0), ("r3", 2, "03", 9)], "r1 4"),
        # before headers had a generation a later start is the later run
        ([("r1", None, "01", 5), ("r2", None, "02", 2)], "r2 1"),
        ([("r1", None, "03", 5), ("r2", 0, "01", 1)], "r2 0"),
    ],
)
def test_among_runs_of_one_generation_the_highest_number_is_remembered(
    tmp_path: Path,
    make_turn: MakeTurn,
    runs: list[tuple[str, int | None, str, int]],
    notes: str,
) -> None:
    """K17."""
    for run, generation, day, turns in runs:
        header = HeaderLine(
            scenario_id="s",
            started_at=f"2026-03-{day}T10:00:00Z",
            journey_id=JOURNEY,
            driver_generation=generation,
        )
        lines = [header, *(make_turn(n, notes=f"{run} {n}") for n in range(turns))]
        (tmp_path / f"{day}-{run}.jsonl").write_bytes(
            b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        )
    last = journey_memory(tmp_path, JOURNEY).last
    assert last is not None
    assert last.notes == notes


def test_other_journeys_leave_no_trace(
    open_writer: OpenWriter, make_turn: MakeTurn, journals: Path
) -> None:
    open_writer(journey_id="world:w:player:q").write(make_turn(0))
    assert journey_memory(journals, JOURNEY).last is None


def test_a_newest_run_without_turns_leaves_the_word_to_the_one_before(
    open_writer: OpenWriter, make_turn: MakeTurn, journals: Path
) -> None:
    open_writer("run-1").write(make_turn(0, notes="older"))
    open_writer("run-2", generation=2)
    last = journey_memory(journals, JOURNEY).last
    assert last is not None
    assert last.notes == "older"


def test_a_turn_that_was_cut_off_is_remembered(
    open_writer: OpenWriter, make_turn: MakeTurn, journals: Path
) -> None:
    journal = open_writer()
    journal.write(make_turn(0, notes="before", objective="leave"))
    journal.write(
        DecisionLine(
            turn=1,
            attempt=1,
            decision=Decided(monologue="m", intent="i", notes="after", action=opaque(None)),
        )
    )
    last = journey_memory(journals, JOURNEY).last
    assert last is not None
    assert (last.notes, last.objective, last.turn) == ("after", "leave", 1)


def test_a_bad_file_is_named_and_hides_no_other(
    open_writer: OpenWriter, make_turn: MakeTurn, journals: Path
) -> None:
    open_writer("run-1").write(make_turn(0, notes="good"))
    broken = open_writer("run-2", generation=2)
    broken.write(make_turn(0))
    broken.path.write_bytes(broken.path.read_bytes().replace(b'"outcome"', b'"outcame"'))
    (journals / "garbage.jsonl").write_bytes(b"\xff\n")
    (journals / "folder.jsonl").mkdir()
    (journals / "empty.jsonl").touch()
    (journals / "torn.jsonl").write_bytes(b'{"kind":"hea')
    (journals / "notes.txt").write_text("not a journal")
    memory = journey_memory(journals, JOURNEY)
    assert memory.last is not None
    assert memory.last.notes == "good"
    assert {type(error) for error in memory.bad} == {JournalDamaged, JournalUnreadable}
    assert {error.path for error in memory.bad} == {
        broken.path,
        journals / "garbage.jsonl",
        journals / "folder.jsonl",
    }


def test_a_directory_that_is_not_there_holds_no_memory(tmp_path: Path) -> None:
    memory = journey_memory(tmp_path / "none", JOURNEY)
    assert (memory.last, memory.bad) == (None, ())


def test_a_directory_that_cannot_be_listed_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(JournalUnreadable):
        journey_memory(tmp_path / "file", JOURNEY)
