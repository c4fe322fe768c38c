from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.model.prices import NOTHING, Cost, Rates, cost, reserve_cost
from kernel.model.usage import Usage

RATES = Rates(
    input=Decimal(3), cache_read=Decimal("0.3"), cache_write=Decimal("3.75"), output=Decimal(15)
)
FREE = Rates(input=Decimal(0), cache_read=Decimal(0), cache_write=Decimal(0), output=Decimal(0))
USAGE = Usage(input=1000, output=100, cache_read=700, cache_write=200, reasoning=50)


def test_each_token_is_priced_once_at_its_own_rate() -> None:
    # 100 at 3, 700 at 0.3, 200 at 3.75 and 100 at 15 dollars a million.
    assert cost(USAGE, RATES) == Cost(Decimal("0.00276"))


def test_reserved_tokens_are_priced_at_the_dearest_rate_and_marked() -> None:
    assert reserve_cost(16_000, RATES) == Cost(Decimal("0.24"), reserved=True)


def test_unknown_rates_make_an_unknown_cost_for_good() -> None:
    assert cost(USAGE, None) == Cost(None)
    assert reserve_cost(16_000, None) == Cost(None, reserved=True)
    assert cost(USAGE, RATES) + Cost(None) == Cost(None)
    assert Cost(None) + cost(USAGE, RATES) == Cost(None)


def test_a_price_of_nothing_is_a_price() -> None:
    assert cost(USAGE, FREE) == NOTHING
    assert reserve_cost(16_000, FREE).dollars == 0
    assert cost(USAGE, FREE) != Cost(None)


def test_a_sum_that_holds_reserved_tokens_says_so() -> None:
    total = cost(USAGE, RATES) + reserve_cost(16_000, RATES)
    assert total == Cost(Decimal("0.24276"), reserved=True)


@pytest.mark.parametrize("rate", ["-1", "NaN", "Infinity"])
def test_what_is_no_price_is_no_rate(rate: str) -> None:
    text = f'{{"input":"{rate}","cache_read":"0","cache_write":"0","output":"0"}}'
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Rates)


def test_rates_cross_a_wire_exactly() -> None:
    assert msgspec.json.decode(msgspec.json.encode(RATES), type=Rates) == RATES


@given(st.lists(st.integers(0, 10_000_000), max_size=30))
def test_no_cent_is_lost_in_a_sum(tokens: list[int]) -> None:
    total = NOTHING
    for count in tokens:
        total += cost(Usage(input=count, output=0), RATES)
    assert total == cost(Usage(input=sum(tokens), output=0), RATES)
