"""The sitting's budget: what was used, what may still be used, what one call charges (K28–K30)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from msgspec import Struct

from kernel.model.prices import NOTHING, Cost, Rates, cost, reserve_cost
from kernel.model.usage import Usage
from kernel.session.specification import BudgetCeiling


class Charge(Struct, frozen=True):
    """What one call costs the sitting."""

    tokens: int
    cost: Cost
    reported: bool
    usage: Usage | None


def charge(usage: Usage | None, reserve: int, rates: Rates | None) -> Charge:
    """The charge of a call: as reported, or the reserve when the report is missing or not whole.

    A partial report that exceeds the reserve is charged itself; either way the call counts as
    unreported and its tokens are priced at the dearest rate (K28, K29).
    """
    if usage is not None and usage.complete:
        return Charge(usage.tokens, cost(usage, rates), True, usage)
    tokens = max(reserve, usage.tokens if usage is not None else 0)
    return Charge(tokens, reserve_cost(tokens, rates), False, usage)


@dataclass(slots=True)
class SittingBudget:
    """Sums over every call of the sitting, earlier runs included. Sums only grow."""

    ceiling: BudgetCeiling
    tokens: int = 0
    cost: Cost = NOTHING
    unreported_calls: int = 0
    unpriced: bool = False
    """A model of this session has no known rates."""

    def settle(self, charged: Charge) -> None:
        """Add one settled call."""
        self.tokens += charged.tokens
        self.cost = self.cost + charged.cost
        self.unreported_calls += not charged.reported

    def reached(self) -> bool:
        """Whether a ceiling is reached; without a price no dollar cap can be kept (K29)."""
        if self.ceiling.tokens is not None and self.tokens >= self.ceiling.tokens:
            return True
        if self.ceiling.dollars is None:
            return False
        if self.unpriced or self.cost.dollars is None:
            return True
        return self.cost.dollars >= Decimal(str(self.ceiling.dollars))

    def output_limit(self, configured: int, rates: Rates | None) -> int:
        """The most output that the next request may ask for, at least 1 token (K30)."""
        limit = configured
        if self.ceiling.tokens is not None:
            limit = min(limit, self.ceiling.tokens - self.tokens)
        if (
            self.ceiling.dollars is not None
            and rates is not None
            and rates.output > 0
            and self.cost.dollars is not None
        ):
            left = Decimal(str(self.ceiling.dollars)) - self.cost.dollars
            limit = min(limit, int(left.scaleb(6) / rates.output))
        return max(1, limit)
