from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from kernel.journal.damage import JournalDamaged
from kernel.journal.lines import (
    LINE_LIMIT,
    Decided,
    DecisionLine,
    NotableLine,
    SummaryLine,
    TurnLine,
    UsageLine,
    opaque,
)
from kernel.journal.run import RunWalk
from kernel.journal.writer import JournalWriter

OpenWriter = Callable[..., JournalWriter]
MakeTurn = Callable[..., TurnLine]


def test_a_walk_gives_the_turns_and_gathers_the_rest(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer()
    reserve = UsageLine(
        call_id="c", stage="reserved", role="mind", provider="p", model="m", charged=16_000
    )
    journal.write(reserve)
    journal.write(msgspec.structs.replace(reserve, stage="settled", charged=40, input=30))
    journal.write(msgspec.structs.replace(reserve, call_id="d"))
    journal.write(make_turn(0))
    journal.write(make_turn(1, notes="x" * LINE_LIMIT))
    journal.write(NotableLine(notable="stuck"))
    decided = Decided(monologue="m", intent="i", action=opaque(None))
    journal.write(DecisionLine(turn=2, attempt=1, decision=decided))
    journal.write(SummaryLine(outcome="stopped", turns_taken=3))

    walk = RunWalk(journal.path)
    turns = list(walk.turns())

    assert [(turn.turn.turn, turn.recovered) for turn in turns] == [(0, False), (2, True)]
    assert walk.header is not None
    assert walk.header.run_id == "run-1"
    assert walk.summary is not None
    assert walk.summary.outcome == "stopped"
    assert walk.usage.total().charged == 16_040
    assert walk.usage.total().input == 30
    assert [notable.notable for notable in walk.notables] == ["stuck"]
    assert [gap.cause for gap in walk.gaps] == ["line_too_long"]
    assert walk.kinds["turn"] == walk.kinds["recovered"] == 1
    assert walk.kinds["usage"] == 3
    assert walk.torn is None


def test_a_run_that_was_cut_off_has_no_summary_and_a_torn_tail(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer()
    journal.write(make_turn(0))
    journal.write(make_turn(1))
    journal.path.write_bytes(journal.path.read_bytes()[:-10])
    walk = RunWalk(journal.path)
    assert [turn.turn.turn for turn in walk.turns()] == [0]
    assert walk.summary is None
    assert walk.torn is not None
    assert walk.torn.line == 3


def test_turns_before_the_damage_are_given_before_it_is_told(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer()
    journal.write(make_turn(0))
    journal.write(make_turn(1))
    text = journal.path.read_bytes()
    at = text.rindex(b'"outcome"')
    journal.path.write_bytes(text[:at] + b'"outcame"' + text[at + 9 :])
    turns = RunWalk(journal.path).turns()
    assert next(turns).turn.turn == 0
    with pytest.raises(JournalDamaged, match=r"line 3, field turn\.outcome"):
        next(turns)
