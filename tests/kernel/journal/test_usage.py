from __future__ import annotations

from decimal import Decimal
from typing import Literal

from kernel.journal.lines import UsageLine
from kernel.journal.usage import UsageTally


def call(
    call_id: str,
    stage: Literal["reserved", "settled"],
    charged: int,
    *,
    cost: float | None = 0.0,
    reported: bool = True,
    output: int | None = None,
) -> UsageLine:
    return UsageLine(
        call_id=call_id,
        stage=stage,
        role="mind",
        provider="p",
        model="m",
        charged=charged,
        cost=cost,
        reported=reported,
        output=output,
    )


def tally(*lines: UsageLine) -> UsageTally:
    tally = UsageTally()
    for line in lines:
        tally.add(line)
    tally.end_run()
    return tally


def test_a_settled_call_charges_what_it_settled_for_and_not_its_reserve() -> None:
    done = tally(call("a", "reserved", 16_000, cost=1.0), call("a", "settled", 900, cost=0.1))
    assert (done.charged, done.unreported, done.estimated) == (900, 0, False)
    assert done.dollars == Decimal("0.1")


def test_an_unsettled_reservation_is_charged_and_unreported() -> None:
    """K28."""
    done = tally(
        call("a", "reserved", 16_000, cost=1.0),
        call("b", "reserved", 16_000, cost=1.0),
        call("a", "settled", 900, cost=0.1),
    )
    assert (done.charged, done.unreported, done.estimated) == (16_900, 1, True)
    assert done.dollars == Decimal("1.1")


def test_the_same_call_id_in_two_runs_is_two_calls() -> None:
    done = tally(call("a", "reserved", 16_000))
    done.add(call("a", "reserved", 16_000))
    done.add(call("a", "settled", 5))
    done.end_run()
    assert (done.charged, done.total().calls) == (16_005, 2)


def test_a_call_that_settled_without_a_report_counts_as_unreported() -> None:
    done = tally(call("a", "settled", 16_000, reported=False))
    assert (done.charged, done.unreported) == (16_000, 1)


def test_an_unknown_price_makes_the_cost_null_for_good() -> None:
    """K29: null plus a price is null; null is never 0."""
    done = tally(
        call("a", "settled", 1, cost=0.5),
        call("b", "settled", 1, cost=None),
        call("c", "settled", 1, cost=0.5),
    )
    assert done.dollars is None
    assert done.total().cost is None
    assert tally().dollars == 0


def test_prices_add_up_exactly() -> None:
    done = tally(*(call(str(n), "settled", 1, cost=0.1) for n in range(30)))
    assert done.dollars == Decimal(3)
    assert done.total().cost == 3.0


def test_the_total_leaves_out_numbers_that_were_not_reported() -> None:
    done = tally(call("a", "settled", 10, output=7), call("b", "settled", 10))
    assert done.total().output == 7
    assert done.total().charged == 20
