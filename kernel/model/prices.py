"""What tokens cost: exact arithmetic on the provider's rates (K29). Every cost is an estimate."""

from decimal import Decimal

import msgspec

from kernel.model.usage import Usage


class Rates(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Dollars for a million tokens. 0 is a price; a model without known prices has no Rates.

    Raises ValueError for a negative or non-finite rate.
    """

    input: Decimal
    cache_read: Decimal
    cache_write: Decimal
    output: Decimal

    def __post_init__(self) -> None:
        if any(not rate.is_finite() or rate < 0 for rate in self._all()):
            raise ValueError("a rate is a finite number of dollars, 0 or more")

    @property
    def dearest(self) -> Decimal:
        return max(self._all())

    def _all(self) -> tuple[Decimal, ...]:
        return (self.input, self.cache_read, self.cache_write, self.output)


class Cost(msgspec.Struct, frozen=True):
    """Dollars, or None when they cannot be known; `reserved` says that tokens were assumed.

    None plus a price is None.
    """

    dollars: Decimal | None
    reserved: bool = False

    def __add__(self, other: "Cost") -> "Cost":
        reserved = self.reserved or other.reserved
        if self.dollars is None or other.dollars is None:
            return Cost(None, reserved)
        return Cost(self.dollars + other.dollars, reserved)


NOTHING = Cost(Decimal(0))


def cost(usage: Usage, rates: Rates | None) -> Cost:
    """The price of a complete report: ordinary input, cache and output each at their own rate."""
    if rates is None:
        return Cost(None)
    ordinary = usage.input - usage.cache_read - usage.cache_write
    millionths = (
        ordinary * rates.input
        + usage.cache_read * rates.cache_read
        + usage.cache_write * rates.cache_write
        + usage.output * rates.output
    )
    return Cost(millionths.scaleb(-6))


def reserve_cost(tokens: int, rates: Rates | None) -> Cost:
    """The price of tokens that nobody reported: the dearest rate, marked as reserved."""
    return Cost(None if rates is None else (tokens * rates.dearest).scaleb(-6), reserved=True)
