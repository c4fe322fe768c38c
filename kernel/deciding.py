"""The deciding phase: one proposal from the mind, and what came of it (K6, K7, K10, K11)."""

from __future__ import annotations

from dataclasses import dataclass

import trio

from kernel.backoff import wait_after_failure
from kernel.body import AnyBody, AnyDecision, AnySight, Context, Invalid, PastTurn
from kernel.budget import SittingBudget
from kernel.controls import Controls, Ending
from kernel.mind import Answered, Mind
from kernel.model.errors import FailureKind, ModelFailure
from kernel.speech_gate import SpeechGate
from kernel.turn import Event
from kernel.unfolding import Unfolding
from kernel.world_events import LatestEvent


@dataclass(slots=True)
class Deciding:
    """Asks for proposals and keeps the count of failures in a row (K11)."""

    body: AnyBody
    mind: Mind
    controls: Controls
    budget: SittingBudget
    events: LatestEvent
    gate: SpeechGate
    persona: str
    failures_in_row: int = 0
    retry_after: float | None = None
    short_history: bool = False
    """Set once the provider said that the context was too long; holds from then on (case 22)."""

    @property
    def wait(self) -> float:
        """Seconds of backoff that the last failure asks for."""
        return wait_after_failure(self.failures_in_row, self.retry_after)

    async def propose(self, turn: Unfolding, past: tuple[PastTurn, ...]) -> Event:
        """One proposal for what `turn` was shown."""
        assert turn.shown is not None
        if self.budget.reached():
            turn.fail("budget_exhausted", "a fresh proposal would exceed the budget")
            return Event.SPENT
        bound = self.body.policy.bounds.interjection
        turn.heard = self.controls.interjections.show(bound)
        heard_until = self.controls.interjections.queued
        event = self.events.take(bound)
        turn.decision_begins()
        while True:
            context = Context(
                number=turn.number,
                persona=self.persona,
                past=past,
                heard=turn.heard,
                world_event=event,
                turns_since_spoken=self.gate.turns_since(turn.number),
                takes_images=self.mind.model.endpoint.takes_images,
                short=self.short_history,
            )
            result, replaced = await self._ask(turn, context, heard_until)
            if not self._shrink_once(result):
                break
        turn.decision_settles()
        if self.controls.ending is not None and not isinstance(result, ModelFailure):
            return Event.STOPPED
        return self._judge(turn, turn.shown, result, replaced)

    async def _ask(
        self, turn: Unfolding, context: Context, heard_until: int
    ) -> tuple[Answered | ModelFailure, bool]:
        assert turn.shown is not None
        prompt = self.body.prompt(turn.shown, context)
        turn.attempt += 1
        cancels = self.body.policy.message_replaces == "cancel"
        may_replace = turn.proposals.message_may_replace
        heard_more = False
        scope = trio.CancelScope()

        def hear() -> None:
            nonlocal heard_more
            if self.controls.interjections.queued > heard_until:
                heard_more = True
                if cancels and may_replace:
                    scope.cancel()

        hear()
        with self.controls.hearing(hear), self.controls.reaching(scope, patient=not cancels):
            result = await self.mind.ask(prompt, turn.number, turn.attempt, scope)
        return result, heard_more and may_replace and (_withdrawn(result) or not cancels)

    def _shrink_once(self, result: Answered | ModelFailure) -> bool:
        if self.short_history or self.budget.reached() or self.controls.ending is not None:
            return False
        if self._usage_unknown(result):
            return False
        too_long = isinstance(result, ModelFailure) and result.kind is FailureKind.CONTEXT_TOO_LONG
        self.short_history = too_long
        return too_long

    def _judge(
        self, turn: Unfolding, shown: AnySight, result: Answered | ModelFailure, replaced: bool
    ) -> Event:
        if self._usage_unknown(result):
            turn.fail("mind_failed", self._named("the provider did not report the call's usage"))
            self._unavailable(turn.failure)
            return Event.UNDECIDED
        if self.controls.ending is not None:
            return Event.STOPPED
        if replaced:
            turn.proposals = turn.proposals.replaced_by_message()
            return Event.REPLACED
        if isinstance(result, ModelFailure):
            outcome = self.body.policy.invalid if result.answered else "mind_failed"
            self._failed(turn, outcome, f"{result.kind.value}: {result.message}", result)
            return Event.UNDECIDED
        decided = self.body.decode(result.object or b"", shown)
        if isinstance(decided, Invalid):
            self._failed(turn, self.body.policy.invalid, f"invalid decision: {decided}", None)
            return Event.UNDECIDED
        return self._decided(turn, decided)

    def _decided(self, turn: Unfolding, decision: AnyDecision) -> Event:
        self.failures_in_row, self.retry_after = 0, None
        turn.decision = decision
        spent = self.budget.reached()
        if decision.action is not None and not spent:
            return Event.DECIDED  # what it was told is delivered once the fence lets it stand
        self.controls.interjections.delivered()
        if spent:
            turn.fail("budget_exhausted", "this turn's proposal reached the budget")
            return Event.SPENT
        turn.outcome = "waited"
        return Event.WAITED

    def _failed(
        self, turn: Unfolding, outcome: str, why: str, failure: ModelFailure | None
    ) -> None:
        self.failures_in_row += 1
        self.retry_after = failure.retry_after if failure else None
        turn.fail(outcome, why)
        if failure is not None and failure.fatal:
            status = f" ({failure.status})" if failure.status else ""
            self._unavailable(self._named(f"{failure.kind.value}{status}: {failure.message}"))
        elif self.failures_in_row >= self.body.policy.failures_to_end:
            self._unavailable(self._named(f"{self.failures_in_row} failures in a row; last {why}"))

    def _usage_unknown(self, result: Answered | ModelFailure) -> bool:
        """Whether the game lets this call end the session for what it did not report (K7)."""
        if not self.body.policy.unknown_usage_ends or _withdrawn(result):
            return False
        return result.usage is None or not result.usage.complete

    def _named(self, why: str) -> str:
        return f"model {self.mind.model.endpoint.name} ({self.mind.model.endpoint.model}): {why}"

    def _unavailable(self, detail: str | None) -> None:
        self.controls.end(Ending("mind_unavailable", (detail or "")[:400]))


def _withdrawn(result: Answered | ModelFailure) -> bool:
    return isinstance(result, ModelFailure) and result.kind is FailureKind.CANCELLED
