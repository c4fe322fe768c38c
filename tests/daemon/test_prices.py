import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from daemon.prices import rates_for
from kernel.model.prices import Rates

OPENAI = "https://api.openai.com/v1"
ANTHROPIC = "https://api.anthropic.com"
AT = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)


def test_a_model_that_the_list_names_has_its_four_rates() -> None:
    rates = rates_for(ANTHROPIC, "claude-3-5-haiku-latest", at=AT)
    assert rates == Rates(
        input=Decimal("0.8"),
        cache_read=Decimal("0.08"),
        cache_write=Decimal("1"),
        output=Decimal("4"),
    )


@pytest.mark.parametrize(
    ("base_url", "model"),
    [
        (OPENAI, "gpt-4o"),
        (OPENAI, "gpt-4o-2024-08-06"),
        (OPENAI, "gpt-4o-mini"),
        (ANTHROPIC, "claude-3-5-haiku"),
        (ANTHROPIC, "claude-3-5-haiku-20241022"),
        (ANTHROPIC, "claude-sonnet-4-5"),
        (ANTHROPIC, "claude-sonnet-4-20250514"),
    ],
)
def test_names_in_use_are_found(base_url: str, model: str) -> None:
    assert rates_for(base_url, model, at=AT) is not None


@pytest.mark.parametrize(
    ("base_url", "model"),
    [
        (OPENAI, "gpt-4p"),
        (OPENAI, "gpt-4oo"),
        (OPENAI, "gpt-4"[:-1]),
        (OPENAI, "gpt-5-nano-x"),
        (OPENAI, "my-moderation-1"),
        (OPENAI, "ft:gpt-4o-2024-08-06:acme::1"),
        (OPENAI, ""),
        (ANTHROPIC, "claude-3-5-haiku-2024102"),
        (ANTHROPIC, "claude-3-5-haikus"),
        (ANTHROPIC, "claude-3-5-haik"),
        (ANTHROPIC, "claude-sonnet-4-50"),
        (ANTHROPIC, "gpt-4o"),
        (OPENAI, "text-embedding-3-small"),
    ],
)
def test_case_19_one_letter_off_is_an_unknown_price(base_url: str, model: str) -> None:
    assert rates_for(base_url, model, at=AT) is None


@pytest.mark.parametrize(
    "base_url",
    ["http://localhost:11434/v1", "http://127.0.0.1:8080/v1", "https://models.example.net/v1"],
)
def test_a_famous_name_on_ones_own_server_has_no_known_price(base_url: str) -> None:
    assert rates_for(base_url, "gpt-4o", at=AT) is None


def test_the_operators_word_is_taken_before_the_list_even_for_nothing() -> None:
    free = Rates(input=Decimal(0), cache_read=Decimal(0), cache_write=Decimal(0), output=Decimal(0))
    assert rates_for("http://localhost:11434/v1", "qwen3", free, at=AT) == free
    assert rates_for(OPENAI, "gpt-4o", free, at=AT) == free


def test_where_the_price_depends_on_the_hour_the_days_dearest_counts() -> None:
    seen = {
        rates_for("https://api.deepseek.com", "deepseek-chat", at=AT.replace(hour=hour))
        for hour in range(24)
    }
    (rates,) = seen
    assert rates is not None
    assert (rates.input, rates.output) == (Decimal("0.27"), Decimal("1.1"))


@pytest.mark.parametrize(
    ("base_url", "model", "rate"),
    [
        ("https://openrouter.ai/api/v1", "qwen/qwen3-coder-flash", "0.325"),
        (ANTHROPIC, "claude-sonnet-4-5", "3"),
    ],
)
def test_a_tier_counts_where_a_prompt_can_reach_it(base_url: str, model: str, rate: str) -> None:
    rates = rates_for(base_url, model, at=AT.replace(month=11))
    assert rates is not None
    assert rates.input == Decimal(rate)


def test_rates_the_list_lacks_for_the_cache_are_those_of_ordinary_input() -> None:
    rates = rates_for(OPENAI, "gpt-4", at=AT)
    assert rates is not None
    assert rates.cache_read == rates.cache_write == rates.input


def test_the_list_is_not_loaded_before_it_is_asked_for() -> None:
    code = "import daemon.prices, sys; sys.exit('genai_prices' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_list_is_never_loaded_by_what_a_session_uses() -> None:
    code = (
        "import kernel.model.transport, kernel.model.prices, sys;"
        "sys.exit(any(name in sys.modules for name in ('genai_prices', 'mcp', 'pydantic')))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
