"""Mode recover: only ask the world about a seat whose farewell nobody confirmed."""

from __future__ import annotations

from kernel.body import JoinRefused
from kernel.controls import Controls
from kernel.session import wire
from kernel.session.preparing import NotPlayable, body_kind
from kernel.session.specification import Specification


async def recover(specification: Specification, controls: Controls) -> wire.Ended:
    """Ask with the stored recovery value. Raises NotPlayable when there is nothing to ask with."""
    if specification.recovery is None:
        raise NotPlayable("no_recovery", f"seat {specification.seat}: no recovery value is stored")
    kind = body_kind(specification.body)
    settled = False
    try:
        with controls.interruptible():
            settled = await kind.recover(specification.options, specification.recovery)
    except JoinRefused as refused:
        raise NotPlayable(refused.reason, refused.detail) from None
    return wire.Ended(
        outcome="settled" if settled else "unsettled",
        leave="confirmed" if settled else "unconfirmed",
    )
