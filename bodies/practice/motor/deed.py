"""A deed: an action that was requested, from its handle to its evidence."""

from collections.abc import Callable

from msgspec import Struct

from bodies.practice.motor.doing import Doing, Ending
from bodies.practice.motor.proof import all_agree
from bodies.practice.motor.wire import (
    Action,
    ActionState,
    ActionStatus,
    Evidence,
    ProofSource,
    Refuted,
    SessionRef,
    Unknown,
    Verified,
)
from bodies.practice.world.chance import roll


class Deed(Struct, frozen=True):
    """One requested action. It is under way until it has an ending."""

    action_id: str
    action: Action
    requested: int
    updated: int
    doing: Doing
    ending: Ending | None = None
    cancel_at: int | None = None

    @property
    def state(self) -> ActionState:
        if self.ending is not None:
            return self.ending.state
        return "running" if self.cancel_at is None else "cancel_requested"


def status_of(deed: Deed, session: SessionRef, at: Callable[[int], str], seed: int) -> ActionStatus:
    """The deed as it travels. `at` writes a tick as an instant."""
    return ActionStatus(
        session=session,
        action_id=deed.action_id,
        requested=deed.action,
        state=deed.state,
        requested_at=at(deed.requested),
        updated_at=at(deed.updated),
        evidence=_evidence(deed, at(deed.updated), seed),
    )


def _evidence(deed: Deed, at: str, seed: int) -> Evidence:
    ending = deed.ending
    if ending is None:
        return Unknown("not_observed")
    if ending.reason is not None or not ending.checks:
        return Unknown(ending.reason or "not_observed")
    observer = roll(4, "source", seed, deed.updated) == 0
    source: ProofSource = "server_observer" if observer else "server_packet"
    kind = Verified if all_agree(ending.checks) else Refuted
    return kind(source, at, ending.checks)
