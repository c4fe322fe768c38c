"""What a model's tokens cost, from the published price list or the operator's own word (K29)."""

import re
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from kernel.model.prices import Rates

if TYPE_CHECKING:
    from genai_prices.types import MatchLogic, ModelInfo, ModelPrice

# In tokens. A tier that begins above this is out of reach of a player's prompt.
LONGEST_PROMPT = 64_000


def rates_for(
    base_url: str, model: str, override: Rates | None = None, *, at: datetime
) -> Rates | None:
    """The rates of a model at one provider, or None where they are not known for certain.

    The address says who sends the bill: a local server that serves a famous name costs nothing
    that is known here. The list matches names by prefixes and parts; only a name that it spells
    out, or such a name with a snapshot's date or `latest` behind it, is taken (case 19). `at` is
    an aware time; where the price depends on the hour, the day's dearest counts. Rates that the
    list does not give for the cache are those of ordinary input.

    The first look-up imports the list, which takes a third of a second and 20 MiB.
    """
    if override is not None:
        return override
    found = _find(base_url, model)
    if found is None:
        return None
    hours = [found.get_prices(at.replace(hour=hour)) for hour in range(24)]
    rates = [rate for rate in map(_rates, hours) if rate is not None]
    if len(rates) < len(hours):
        return None
    return Rates(
        input=max(rate.input for rate in rates),
        cache_read=max(rate.cache_read for rate in rates),
        cache_write=max(rate.cache_write for rate in rates),
        output=max(rate.output for rate in rates),
    )


def _find(base_url: str, model: str) -> "ModelInfo | None":
    from genai_prices.data_snapshot import get_snapshot

    snapshot = get_snapshot()
    try:
        provider = snapshot.find_provider(None, None, base_url)
    except LookupError:
        return None
    found = provider.find_model(model, all_providers=snapshot.providers)
    if found is None or not _spelled_out(found, model):
        return None
    return found


def _spelled_out(info: "ModelInfo", model: str) -> bool:
    name = model.lower()
    dated = _SNAPSHOT.fullmatch(name)
    names = {name, dated[1]} if dated else {name}
    return not names.isdisjoint({info.id.lower(), *_literals(info.match)})


def _literals(match: "MatchLogic") -> list[str]:
    from genai_prices.types import ClauseEquals, ClauseOr, ClauseStartsWith

    match match:
        case ClauseEquals():
            return [match.equals.lower()]
        case ClauseStartsWith():
            return [match.starts_with.lower()]
        case ClauseOr():
            return [literal for clause in match.or_ for literal in _literals(clause)]
        case _:
            return []


def _rates(price: "ModelPrice") -> Rates | None:
    ordinary, output = _rate(price, "input_mtok"), _rate(price, "output_mtok")
    if ordinary is None or output is None or price.requests_kcount is not None:
        return None
    read, write = _rate(price, "cache_read_mtok"), _rate(price, "cache_write_mtok")
    return Rates(
        input=ordinary,
        cache_read=ordinary if read is None else read,
        cache_write=ordinary if write is None else write,
        output=max(output, _rate(price, "output_reasoning_mtok") or output),
    )


def _rate(price: "ModelPrice", key: str) -> Decimal | None:
    from genai_prices.types import TieredPrices

    value: Decimal | TieredPrices | None = getattr(price, key)
    if isinstance(value, TieredPrices):
        reached = [tier.price for tier in value.tiers if tier.start < LONGEST_PROMPT]
        return max([value.base, *reached])
    return value


_SNAPSHOT = re.compile(r"(.+?)(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2})|-latest)", re.ASCII)
