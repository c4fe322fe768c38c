"""A turn while it happens: what the phases leave for each other, until it becomes `TurnFacts`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import trio

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


@dataclass(slots=True)
class Unfolding:
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
    speech: Speech = field(default_factory=Speech)
    timing: Timing = field(default_factory=Timing)
    _decision_began: float | None = None
    _action_began: float = 0.0

    def fail(self, outcome: str, failure: str) -> None:
        """End the turn without a settled action; the reason is cut at 400 characters."""
        self.outcome = outcome
        self.failure = failure[:400]

    def decision_begins(self) -> None:
        """Note the first proposal's start; those that replace it belong to one decision."""
        if self._decision_began is None:
            self._decision_began = trio.current_time()
            self.timing = replace(self.timing, decision_started_at=utc_now())

    def decision_settles(self) -> None:
        """Note the time of the latest proposal's end."""
        assert self._decision_began is not None
        took = round((trio.current_time() - self._decision_began) * 1000)
        self.timing = replace(self.timing, decision_settled_at=utc_now(), decision_ms=took)

    def action_begins(self) -> None:
        """Note the time at which the action's request is sent."""
        self._action_began = trio.current_time()
        self.timing = replace(self.timing, action_started_at=utc_now())

    def action_settles(self) -> None:
        """Note the time of the action's answer."""
        took = round((trio.current_time() - self._action_began) * 1000)
        self.timing = replace(self.timing, action_settled_at=utc_now(), action_ms=took)

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
            timing=self.timing,
            window=window,
        )
