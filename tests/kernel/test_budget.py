from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.budget import SittingBudget, charge
from kernel.model.prices import Cost, Rates
from kernel.model.usage import Usage
from kernel.session.specification import BudgetCeiling

RATES = Rates(
    input=Decimal(3), cache_read=Decimal("0.3"), cache_write=Decimal(4), output=Decimal(15)
)
FREE = Rates(input=Decimal(0), cache_read=Decimal(0), cache_write=Decimal(0), output=Decimal(0))


@pytest.mark.parametrize(
    ("usage", "tokens", "reported"),
    [
        (Usage(input=90, output=10), 100, True),
        (Usage(input=90, output=10, complete=False), 16_000, False),
        (Usage(input=20_000, output=10, complete=False), 20_010, False),
        (Usage(input=20_000, output=10), 20_010, True),
        (None, 16_000, False),
    ],
)
def test_k28_a_call_is_charged_as_reported_or_the_reserve_whichever_is_more(
    usage: Usage | None, tokens: int, reported: bool
) -> None:
    charged = charge(usage, 16_000, RATES)
    assert (charged.tokens, charged.reported) == (tokens, reported)
    assert charged.cost.reserved is not reported


def test_k29_reserved_tokens_are_priced_at_the_dearest_rate() -> None:
    assert charge(None, 16_000, RATES).cost.dollars == Decimal("0.24")


def test_k29_an_unknown_price_makes_the_cost_unknown_for_good() -> None:
    budget = SittingBudget(BudgetCeiling())
    budget.settle(charge(Usage(input=1, output=1), 16_000, None))
    budget.settle(charge(Usage(input=1, output=1), 16_000, RATES))
    assert budget.cost.dollars is None


@pytest.mark.parametrize(
    ("ceiling", "tokens", "dollars", "unpriced", "reached"),
    [
        (BudgetCeiling(tokens=100), 99, "0", False, False),
        (BudgetCeiling(tokens=100), 100, "0", False, True),
        (BudgetCeiling(tokens=0), 0, "0", False, True),
        (BudgetCeiling(tokens=None), 10**9, "0", False, False),
        (BudgetCeiling(dollars=1.5), 0, "1.49", False, False),
        (BudgetCeiling(dollars=1.5), 0, "1.5", False, True),
        (BudgetCeiling(dollars=0), 0, "0", False, True),
        (BudgetCeiling(dollars=1.5), 0, None, False, True),
        (BudgetCeiling(dollars=1.5), 0, "0", True, True),
        (BudgetCeiling(), 0, None, True, False),
    ],
)
def test_k30_a_ceiling_of_zero_is_a_ceiling_and_an_unknown_cost_keeps_no_cap(
    ceiling: BudgetCeiling, tokens: int, dollars: str | None, unpriced: bool, reached: bool
) -> None:
    cost = Cost(None if dollars is None else Decimal(dollars))
    assert SittingBudget(ceiling, tokens, cost, 0, unpriced).reached() is reached


def test_k30_the_output_limit_leaves_the_ceiling_whole() -> None:
    tokens = SittingBudget(BudgetCeiling(tokens=1000), tokens=950)
    assert tokens.output_limit(4096, RATES) == 50
    dollars = SittingBudget(BudgetCeiling(tokens=None, dollars=1.0), cost=Cost(Decimal("0.97")))
    assert dollars.output_limit(4096, RATES) == 2000
    assert dollars.output_limit(4096, FREE) == 4096
    over = SittingBudget(BudgetCeiling(tokens=10), tokens=11)
    assert over.output_limit(4096, RATES) == 1


usages = st.one_of(
    st.none(),
    st.builds(
        Usage, input=st.integers(1, 99_999), output=st.integers(0, 999), complete=st.booleans()
    ),
)


@given(st.lists(usages, max_size=30))
def test_sums_never_fall_and_count_each_call_once(calls: list[Usage | None]) -> None:
    budget, before = SittingBudget(BudgetCeiling()), 0
    for usage in calls:
        budget.settle(charge(usage, 16_000, RATES))
        assert budget.tokens > before
        before = budget.tokens
    assert budget.unreported_calls == sum(u is None or not u.complete for u in calls)
