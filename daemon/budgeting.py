"""The verb `budget`: ceilings of the sitting in a seat, or of the seat's later ones."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.ceilings import changed, later_ceiling, names_of, with_more
from daemon.control.wire import BudgetChange, BudgetResult
from daemon.means import Means
from daemon.records import SeatRecord
from daemon.register import Register
from daemon.rewriting import rewrite
from daemon.sitting import Sitting
from daemon.specifications import refuse_unpriced
from daemon.state import StateUnavailable, unavailable


async def budget_of(
    means: Means, register: Register, seat: str, change: BudgetChange, *, default: bool, reset: bool
) -> BudgetResult:
    """Read or change ceilings; a change that names none only reads. Raises Refusal.

    Without a sitting, reading gives what the next one will have.
    """
    ours, _ = register.configured(seat)
    if default or (ours.sitting is None and change == BudgetChange()):
        return await _defaults(means, register, seat, change, reset=reset)
    sitting = register.sitting(seat)
    if change != BudgetChange():
        async with ours.changing:
            await _change(sitting, change)
    return BudgetResult(
        seat=seat,
        default=False,
        ceiling=sitting.record.ceiling,
        used=sitting.used,
        turns_taken=sitting.turns_taken,
        elapsed=sitting.elapsed,
    )


async def _defaults(
    means: Means, register: Register, seat: str, change: BudgetChange, *, reset: bool
) -> BudgetResult:
    ours, settings = register.configured(seat)

    def rewritten(record: SeatRecord) -> SeatRecord:
        before = BudgetChange() if reset else record.default_budget
        return replace(record, default_budget=with_more(before, change))

    if rewritten(ours.record) != ours.record:
        await rewrite(means, ours, rewritten)
    return BudgetResult(
        seat=seat,
        default=True,
        ceiling=later_ceiling(settings, ours.record),
        overridden=names_of(ours.record.default_budget),
    )


async def _change(sitting: Sitting, change: BudgetChange) -> None:
    ceiling = changed(sitting.record.ceiling, change)
    if sitting.session is not None:
        refuse_unpriced(ceiling, *sitting.session.models)
    try:
        await sitting.set_ceiling(ceiling)
    except StateUnavailable as error:
        raise unavailable(error) from error
