"""Ceilings of a sitting's budget, and what `playctl budget` and a join change in them."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from daemon.control.wire import BudgetChange
from kernel.session.specification import BudgetCeiling


def changed(ceiling: BudgetCeiling, change: BudgetChange) -> BudgetCeiling:
    """The ceilings after a change: what it does not name stays, null takes one away (K31)."""
    named = {
        field: value
        for field in change.__struct_fields__
        if (value := getattr(change, field)) is not msgspec.UNSET
    }
    return replace(ceiling, **named)
