"""Ceilings of a sitting's budget, and what the operator and a join change in them."""

from __future__ import annotations

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from config.settings import Seat
from daemon.control.wire import BudgetChange, CeilingName
from daemon.records import SeatRecord
from kernel.session.specification import BudgetCeiling


def changed(ceiling: BudgetCeiling, change: BudgetChange) -> BudgetCeiling:
    """The ceilings after a change: what it does not name stays, null takes one away (K31)."""
    return replace(ceiling, **_named(change))


def later_ceiling(seat: Seat, record: SeatRecord) -> BudgetCeiling:
    """The ceilings of the seat's next sitting: the configuration's, but for its defaults (K31)."""
    return changed(_configured(seat), record.default_budget)


def with_more(defaults: BudgetChange, change: BudgetChange) -> BudgetChange:
    """Both changes in one; what both name is as the later one says."""
    return replace(defaults, **_named(change))


def names_of(change: BudgetChange) -> tuple[CeilingName, ...]:
    """The ceilings that a change names."""
    return tuple(_named(change))


def _named(change: BudgetChange) -> dict[CeilingName, float | None]:
    values: dict[CeilingName, float | UnsetType | None] = {
        "tokens": change.tokens,
        "dollars": change.dollars,
        "max_turns": change.max_turns,
        "max_duration": change.max_duration,
    }
    return {name: value for name, value in values.items() if value is not UNSET}


def _configured(seat: Seat) -> BudgetCeiling:
    budget = seat.budget
    return BudgetCeiling(
        tokens=budget.tokens,
        dollars=budget.dollars,
        max_turns=budget.max_turns,
        max_duration=budget.max_duration,
    )
