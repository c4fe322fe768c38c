"""A turn while it happens: what the phases leave for each other, until it becomes `TurnFacts`."""

from __future__ import annotations

import trio
from msgspec import Struct

from kernel.body import (
    AnyDecision,
    AnySettled,
    AnySight,
    CallUsage,
    Effect,
    Said,
    Speech,
    Timing,
    TurnFacts,
)
from kernel.journal.instant import utc_now
from kernel.proposals import Proposals


class Unfolding(Struct):
    """One numbered turn in progress; the number is used whatever becomes of it (K2)."""

    number: int
    started: float
    """Monotonic seconds."""
    proposals: Proposals
    attempt: int = 0
    """Model calls for this turn's decision so far."""
    shown: AnySight | None = None
    before: AnySight | None = None
    after: AnySight | None = None
    heard: tuple[Said, ...] = ()
    decision: AnyDecision | None = None
    settled: AnySettled | None = None
    effect: Effect | None = None
    outcome: str | None = None
    """Set by the phase that ends the turn early; else the settled action's own."""
    failure: str | None = None
    speech: Speech = Speech()
    decision_started_at: str | None = None
    decision_settled_at: str | None = None
    action_started_at: str | None = None
    action_settled_at: str | None = None
    _decision_began: float = 0.0
    _decision_ended: float = 0.0
    _action_began: float = 0.0
    _action_ended: float = 0.0

    def fail(self, outcome: str, failure: str) -> None:
        """End the turn without a settled action; the reason is cut at 400 characters."""
        self.outcome = outcome
        self.failure = failure[:400]

    def decision_begins(self) -> None:
        """Note the first proposal's start; those that replace it belong to one decision."""
        if self.decision_started_at is None:
            self.decision_started_at = utc_now()
            self._decision_began = trio.current_time()

    def decision_settles(self) -> None:
        """Note the time of the latest proposal's end."""
        self.decision_settled_at = utc_now()
        self._decision_ended = trio.current_time()

    def action_begins(self) -> None:
        """Note the time at which the action's request is sent."""
        self.action_started_at = utc_now()
        self._action_began = trio.current_time()

    def action_settles(self) -> None:
        """Note the time of the action's answer."""
        self.action_settled_at = utc_now()
        self._action_ended = trio.current_time()

    def timing(self) -> Timing:
        """Wall times for people; lengths from the monotonic clock."""
        decided, acted = self.decision_settled_at, self.action_settled_at
        decision, action = (
            self._decision_ended - self._decision_began,
            self._action_ended - self._action_began,
        )
        return Timing(
            decision_started_at=self.decision_started_at,
            decision_settled_at=decided,
            action_started_at=self.action_started_at,
            action_settled_at=acted,
            decision_ms=None if decided is None else round(decision * 1000),
            action_ms=None if acted is None else round(action * 1000),
        )

    def facts(self, calls: tuple[CallUsage, ...], window: int) -> TurnFacts[object, object, object]:
        """The finished turn. Without an outcome or a settled action it was interrupted."""
        outcome = self.outcome or (self.settled.outcome if self.settled else "interrupted")
        return TurnFacts(
            number=self.number,
            outcome=outcome,
            shown=self.shown,
            before=self.before,
            after=self.after,
            decision=self.decision,
            settled=self.settled,
            effect=self.effect,
            failure=self.failure,
            heard=self.heard,
            speech=self.speech,
            calls=calls,
            preemptions=self.proposals.preemptions,
            timing=self.timing(),
            window=window,
        )
