from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kernel.journal.damage import JournalDamaged, JournalUnreadable
from kernel.journal.following import GrowingJournal
from kernel.journal.lines import Decided, DecisionLine, TurnLine, opaque
from kernel.journal.projection import canonical
from kernel.journal.recorded import RecordedTurn
from kernel.journal.writer import JournalWriter

OpenWriter = Callable[..., JournalWriter]
MakeTurn = Callable[..., TurnLine]


def numbers(growing: GrowingJournal) -> list[tuple[int, bool]]:
    return [
        (entry.value.turn.turn, entry.value.recovered)
        for entry in growing.news()
        if isinstance(entry.value, RecordedTurn)
    ]


def test_each_look_gives_what_came_since(open_writer: OpenWriter, make_turn: MakeTurn) -> None:
    journal = open_writer()
    growing = GrowingJournal(journal.path, canonical)
    assert numbers(growing) == []
    journal.write(make_turn(0))
    journal.write(make_turn(1))
    assert numbers(growing) == [(0, False), (1, False)]
    assert numbers(growing) == []
    journal.write(make_turn(2))
    assert numbers(growing) == [(2, False)]


def test_half_a_line_waits_for_the_rest(open_writer: OpenWriter, make_turn: MakeTurn) -> None:
    journal = open_writer()
    journal.write(make_turn(0))
    content = journal.path.read_bytes()
    growing = GrowingJournal(journal.path, canonical)
    journal.path.write_bytes(content[:-40])
    assert numbers(growing) == []
    journal.path.write_bytes(content)
    assert numbers(growing) == [(0, False)]


def test_a_turn_that_was_cut_off_shows_with_the_next(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer()
    decided = Decided(monologue="m", intent="i", action=opaque({"kind": "wait"}))
    journal.write(DecisionLine(turn=0, attempt=0, decision=decided))
    growing = GrowingJournal(journal.path, canonical)
    assert numbers(growing) == []
    journal.write(make_turn(1))
    assert numbers(growing) == [(0, True), (1, False)]


@pytest.mark.parametrize("line", [b"{}\n", b"x" * (256 * 1024 + 1) + b"\n"])
def test_damage_is_loud(open_writer: OpenWriter, line: bytes) -> None:
    journal = open_writer()
    growing = GrowingJournal(journal.path, canonical)
    numbers(growing)
    with journal.path.open("ab") as file:
        file.write(line)
    with pytest.raises(JournalDamaged, match="line 2"):
        numbers(growing)


def test_a_torn_tail_waits_however_long_it_is(open_writer: OpenWriter) -> None:
    journal = open_writer()
    growing = GrowingJournal(journal.path, canonical)
    numbers(growing)
    with journal.path.open("ab") as file:
        file.write(bytes(600_000))
    assert numbers(growing) == []


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(JournalUnreadable, match=r"gone\.jsonl"):
        numbers(GrowingJournal(tmp_path / "gone.jsonl", canonical))
