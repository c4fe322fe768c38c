from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import msgspec
import pytest

from kernel.journal.damage import JournalDamaged, JournalUnreadable
from kernel.journal.lines import Decided, DecisionLine, NotableLine, TurnLine, UsageLine, opaque
from kernel.journal.sitting import sitting_so_far
from kernel.journal.writer import JournalWriter

OpenWriter = Callable[..., JournalWriter]
MakeTurn = Callable[..., TurnLine]


def reserve(call_id: str) -> UsageLine:
    return UsageLine(
        call_id=call_id,
        stage="reserved",
        role="mind",
        provider="p",
        model="m",
        charged=16_000,
        cost=1.5,
        estimated=True,
    )


def settle(call_id: str, charged: int) -> UsageLine:
    return msgspec.structs.replace(
        reserve(call_id),
        stage="settled",
        charged=charged,
        cost=0.25,
        estimated=False,
        reported=True,
    )


def decide(number: int) -> DecisionLine:
    decided = Decided(monologue="m", intent="i", action=opaque(None))
    return DecisionLine(turn=number, attempt=1, decision=decided)


def test_a_sitting_sums_all_its_runs(open_writer: OpenWriter, make_turn: MakeTurn) -> None:
    """K28, K32: calls that never settled are charged; what was told is not told again."""
    first = open_writer("run-1")
    first.write(reserve("a"))
    first.write(settle("a", 700))
    first.write(make_turn(0))
    first.write(NotableLine(notable="stuck"))
    first.write(reserve("b"))
    first.write(decide(1))
    second = open_writer("run-2", generation=2)
    second.write(reserve("a"))
    second.write(settle("a", 300))
    second.write(make_turn(0))

    so_far = sitting_so_far([first.path, second.path])

    assert so_far.charged == 700 + 16_000 + 300
    assert so_far.dollars == Decimal("2.0")
    assert so_far.estimated
    assert so_far.unreported == 1
    assert so_far.notables == {"stuck"}
    assert so_far.turns == 3


def test_what_was_told_and_not_written_stays_on_the_bill_beside_every_later_reserve(
    open_writer: OpenWriter,
) -> None:
    """K28: the first run's disk was full; the second reserved, and neither settled nor told."""
    first, second, third = (open_writer(f"run-{number}") for number in (1, 2, 3))
    first.write(reserve("a"))
    first.write(settle("a", 700))
    second.write(reserve("a"))
    third.write(reserve("a"))
    third.write(settle("a", 300))
    third_told = 100_000 + 16_000 + 300

    so_far = sitting_so_far([first.path, second.path, third.path], [100_000, 0, third_told])

    assert so_far.charged == 700 + 16_000 + 300
    assert so_far.charged + so_far.unwritten == third_told


def test_a_sitting_without_earlier_runs_has_used_nothing() -> None:
    so_far = sitting_so_far([])
    assert (so_far.charged, so_far.dollars, so_far.turns) == (0, 0, 0)
    assert not so_far.estimated


def test_a_reserve_that_was_cut_off_in_the_write_was_never_sent(open_writer: OpenWriter) -> None:
    journal = open_writer()
    journal.write(reserve("a"))
    whole = journal.path.read_bytes()
    journal.path.write_bytes(whole + whole.splitlines()[-1][:-30])
    assert sitting_so_far([journal.path]).charged == 16_000


def test_a_damaged_charge_is_loud(open_writer: OpenWriter) -> None:
    journal = open_writer()
    journal.write(reserve("a"))
    journal.write(settle("a", 700))
    text = journal.path.read_bytes()
    journal.path.write_bytes(text.replace(b'"charged":700', b'"charged":x00'))
    with pytest.raises(JournalDamaged, match="line 3"):
        sitting_so_far([journal.path])


def test_a_missing_journal_is_loud(open_writer: OpenWriter) -> None:
    journal = open_writer()
    with pytest.raises(JournalUnreadable):
        sitting_so_far([journal.path.with_name("gone.jsonl")])
