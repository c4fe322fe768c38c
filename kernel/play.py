"""The loop: does what the turn's table asks for next, and nothing else (K1).

Each phase is one method that reports one event. All waiting happens inside scopes that an ending
cancels (K9); `REMEMBERING` awaits nothing, so a turn that began is always recorded.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import trio

from kernel.backoff import wait_after_failed_action, wait_after_failure
from kernel.body import (
    AnyBody,
    AnySight,
    AnyTurn,
    BodyTrouble,
    PastTurn,
    Remembered,
    WorldEnded,
)
from kernel.budget import SittingBudget
from kernel.card import card_of
from kernel.controls import Controls, Ending, Reach
from kernel.deciding import Deciding
from kernel.journal.instant import utc_now
from kernel.journal.lines import ActionLine, Decided, DecisionLine
from kernel.lease import HeldLease, boottime
from kernel.mind import budget_used
from kernel.proposals import Proposals
from kernel.session import wire
from kernel.speaking import Speaking
from kernel.telling import Telling
from kernel.trail import Trail
from kernel.turn import Event, Phase, after
from kernel.unfolding import Unfolding

TURNS_SHOWN = 8
OBSERVE_AFTER_THE_END = 1.0
"""Seconds for the look after an action that settled although the session is ending."""


@dataclass(slots=True)
class Sofar:
    """What the sitting had before this run, and where this run's clock began."""

    began: float
    """Monotonic seconds at which this run began."""
    turns: int = 0
    elapsed: float = 0.0


@dataclass(slots=True)
class Tally:
    """Counts over this run for its summary."""

    turns: int = 0
    accepted: int = 0


@dataclass(slots=True)
class Play:
    """One session's turns, from the first observation to the ending."""

    body: AnyBody
    controls: Controls
    lease: HeldLease
    budget: SittingBudget
    trail: Trail
    deciding: Deciding
    speaking: Speaking
    telling: Telling
    sofar: Sofar
    run_id: str
    emit: Callable[[wire.FromSession], None]
    room: Callable[[], Awaitable[None] | None]
    """What to wait for before another turn's messages; None when nothing is in the way."""
    objective: str | None = None
    last_frame: bytes | None = None
    tally: Tally = field(default_factory=Tally)
    _past: deque[PastTurn] = field(default_factory=lambda: deque[PastTurn](maxlen=TURNS_SHOWN))
    _phase: Phase = Phase.READY
    _looking: Reach = field(init=False)
    _acting: Reach = field(init=False)
    """Scopes around the whole run; an ending reaches the one during the looks before an action,
    the other during the action. A scope of its own for each would cost more than the look."""
    _turn: Unfolding | None = None
    _number: int = 0
    _failed_actions: int = 0
    _doing: dict[Phase, Callable[[], Awaitable[Event]]] = field(init=False)

    def __post_init__(self) -> None:
        self._looking = self.controls.reaching(trio.CancelScope())
        self._acting = self.controls.reaching(trio.CancelScope(), patient=True)
        self._doing = {
            Phase.READY: self._admit,
            Phase.OBSERVING: self._observe,
            Phase.DECIDING: self._decide,
            Phase.FENCING: self._fence,
            Phase.ACTING: self._act,
            Phase.VERIFYING: self._verify,
            Phase.SPEAKING: self._speak,
            Phase.PACING: self._pace,
        }

    async def run(self) -> Ending:
        """Play until something ends the session, and say what."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch_world)
            nursery.start_soon(self._watch_lease)
            with self._acting.scope as acting, self._looking.scope as looking:
                await self._go_on()
            if looking.cancelled_caught or acting.cancelled_caught:
                self._phase = after(self._phase, self._left())
                await self._go_on()
            nursery.cancel_scope.cancel()
        assert self.controls.ending is not None
        return self.controls.ending

    async def _go_on(self) -> None:
        while (phase := self._phase) is not Phase.OVER:
            if phase is Phase.REMEMBERING:
                event = self._remember()
            elif self.lease.left(boottime()) <= 0:
                self.controls.end(lease_lapsed())
                event = Event.STOPPED
            else:
                try:
                    event = await self._doing[phase]()
                except WorldEnded as ended:
                    self.controls.end(world_ended(ended))
                    event = Event.WORLD_ENDED
            self._phase = after(phase, event)

    def _left(self) -> Event:
        if self._phase is not Phase.ACTING:
            return Event.STOPPED
        self._unfolding.fail("interrupted", "the action was abandoned before it settled")
        return Event.UNSETTLED

    async def _admit(self) -> Event:
        crowded = self.room()
        if crowded is not None:
            with self.controls.interruptible():
                await crowded
        limit = self._limit_reached()
        if limit is None and self.controls.paused:
            self.emit(wire.Phase(phase="paused", turn=self._number))
            with self.controls.interruptible():
                await self.controls.unpaused()
            limit = self._limit_reached()
        if self.controls.ending is not None:
            return Event.STOPPED
        if limit is not None:
            self.controls.end(limit)
            return Event.LIMITED
        return Event.ADMITTED

    def _limit_reached(self) -> Ending | None:
        ceiling = self.budget.ceiling
        if self.budget.reached():
            return Ending("budget_exhausted", "the sitting's budget is used")
        turns = self.sofar.turns + self._number
        if ceiling.max_turns is not None and turns >= ceiling.max_turns:
            return Ending("finished", f"{turns} turns were played")
        if ceiling.max_duration is not None:
            lasted = self.sofar.elapsed + trio.current_time() - self.sofar.began
            if lasted >= ceiling.max_duration:
                return Ending("finished", f"the sitting lasted {lasted:.0f} s")
        if self.body.ready() == "idle":
            return Ending("idle", "nobody was near for too long")
        return None

    async def _observe(self) -> Event:
        turn = Unfolding(
            number=self._number,
            started=trio.current_time(),
            proposals=Proposals(self.body.policy.fresh_after_change),
        )
        self._turn = turn
        self._number += 1
        self._say_phase(Phase.OBSERVING)
        with self._looking:
            turn.shown = await self._look()
        return Event.SEEN if self.controls.ending is None else Event.STOPPED

    async def _decide(self) -> Event:
        self._say_phase(Phase.DECIDING)
        return await self.deciding.propose(self._unfolding, tuple(self._past))

    async def _fence(self) -> Event:
        turn = self._unfolding
        assert turn.shown is not None
        assert turn.decision is not None
        with self._looking:
            now = await self._look()
        if self.controls.ending is not None:
            return Event.STOPPED
        if now.fingerprint != turn.shown.fingerprint:
            if not turn.proposals.change_may_replace:
                turn.before = now
                turn.fail(self.body.policy.changed, "the state changed while the model decided")
                return Event.STALE
            turn.proposals = turn.proposals.replaced_by_change()
            turn.shown, turn.decision = now, None  # it was about what was shown before
            return Event.CHANGED
        turn.before = now
        self.controls.interjections.delivered()
        if self.budget.reached():
            turn.fail("budget_exhausted", "the budget was reached before the action")
            return Event.SPENT
        turn.settled = self.body.known(turn.decision, now)
        return Event.SAME if turn.settled is None else Event.KNOWN

    async def _act(self) -> Event:
        turn = self._unfolding
        assert turn.decision is not None
        key = f"{self.run_id}-{turn.number}-{turn.attempt}"
        self.trail.write(_decision_line(turn, key))
        self._say_phase(Phase.ACTING)
        turn.action_begins()
        with self._acting:
            settled = await self.body.act(turn.decision, key, self.controls.stopping)
        turn.settled = settled
        turn.action_settles()
        self.trail.write(
            ActionLine(
                turn=turn.number,
                outcome=settled.outcome,
                result=settled.result,
                idempotency_key=key,
            )
        )
        return Event.SETTLED

    async def _verify(self) -> Event:
        turn = self._unfolding
        assert turn.settled is not None
        assert turn.before is not None
        sent = turn.action_settled_at is not None
        turn.after = turn.settled.after
        if sent and turn.after is None:
            turn.after = await self._look_after()
        turn.effect = self.body.verify(turn.before, turn.settled, turn.after)
        if self.body.policy.back_off_failed_actions:
            self._failed_actions = self._failed_actions + 1 if turn.settled.failed else 0
        return Event.VERIFIED

    async def _speak(self) -> Event:
        turn = self._unfolding
        if self.controls.ending is not None:
            return Event.STOPPED
        turn.speech = await self.speaking.speak(turn, self.objective)
        return Event.SPOKEN

    def _remember(self) -> Event:
        turn = self._unfolding
        voice = self.speaking.voice
        calls = self.deciding.mind.take_calls() + (voice.mind.take_calls() if voice else ())
        facts = turn.facts(calls, self.trail.writer.window)
        remembered = self.body.remember(facts)
        sight = facts.after or facts.before or facts.shown
        if sight is not None and sight.frame is not None:
            self.last_frame = sight.frame
        self.trail.write_turn(facts, remembered.line, remembered.screenshot)
        self.objective = remembered.objective
        self._count(facts)
        self._tell(turn, facts, remembered)
        self._turn = None
        if facts.outcome == "budget_exhausted":
            self.controls.end(Ending("budget_exhausted", facts.failure or ""))
        return Event.REMEMBERED if self.controls.ending is None else Event.FINAL

    def _count(self, turn: AnyTurn) -> None:
        self.tally.turns += 1
        self.tally.accepted += turn.settled is not None and not turn.settled.failed
        decision = turn.decision
        self._past.append(
            PastTurn(
                number=turn.number,
                intent=decision.intent if decision else None,
                action=decision.description if decision else None,
                outcome=turn.outcome,
                effect=turn.effect.text if turn.effect else turn.failure,
                advice=turn.effect.advice if turn.effect else None,
            )
        )

    def _tell(self, turn: Unfolding, facts: AnyTurn, remembered: Remembered) -> None:
        for kind in remembered.notables:
            self.telling.tell(kind, turn.number, f"turn {turn.number}: {self.objective or ''}")
        self.emit(
            wire.Turn(
                card=card_of(facts, remembered, utc_now(), trio.current_time() - turn.started),
                budget=budget_used(self.budget),
                failures_in_row=self.deciding.failures_in_row,
                preemptions={
                    "message": turn.proposals.by_message,
                    "changed": turn.proposals.by_change,
                },
            )
        )

    async def _pace(self) -> Event:
        backoff = self.deciding.wait
        if self._failed_actions:
            backoff = max(backoff, wait_after_failed_action(self._failed_actions))
        pace = self.body.pace()
        rest = max(backoff, pace)
        if rest and self._limit_reached() is not None:
            return Event.PACED  # nothing comes after it that a rest would be for
        self._say_phase(Phase.PACING, rest or None)
        if rest:
            await self._rest(backoff, pace)
        return Event.PACED if self.controls.ending is None else Event.STOPPED

    async def _rest(self, backoff: float, pace: float) -> None:
        """Nothing but an ending shortens a backoff; what people say ends the rest of the pace."""
        with self.controls.interruptible():
            resting = trio.current_time() + pace
            await trio.sleep(backoff)
            with trio.CancelScope(deadline=resting):
                if not self.controls.interjections:
                    await self.controls.rung()

    async def _look(self) -> AnySight:
        """The state now, however often it takes to be told it."""
        failures = 0
        while True:
            try:
                return await self.body.observe()
            except BodyTrouble as trouble:
                failures += 1
                if failures >= self.body.policy.failures_to_end:
                    raise WorldEnded(f"cannot be observed: {trouble}", confirmed=False) from None
            await trio.sleep(wait_after_failure(failures))

    async def _look_after(self) -> AnySight | None:
        """The state after an action; None when the session ended and nothing was seen in time."""
        if self.controls.ending is None:
            with self.controls.interruptible():
                return await self._look()
            return None
        if self._acting.scope.cancel_called:
            return None  # it settled in the very moment at which it was given up
        self._acting.scope.deadline = math.inf
        with trio.move_on_after(min(OBSERVE_AFTER_THE_END, self.controls.ending.patience)):
            try:
                return await self.body.observe()
            except (BodyTrouble, WorldEnded):
                return None
        return None

    async def _watch_world(self) -> None:
        self.controls.end(world_ended(await self.body.ended()))

    async def _watch_lease(self) -> None:
        while True:
            left = self.lease.left(boottime())
            if left <= 0:
                self.controls.end(lease_lapsed())
                return
            await trio.sleep(left)

    def _say_phase(self, phase: Phase, waiting: float | None = None) -> None:
        self.emit(wire.Phase(phase=phase, turn=self._number - 1, waiting=waiting))

    @property
    def _unfolding(self) -> Unfolding:
        assert self._turn is not None
        return self._turn


def world_ended(ended: WorldEnded) -> Ending:
    """The ending that the world's own end makes; nothing in flight is awaited."""
    return Ending("world_ended", ended.cause, leaves=not ended.confirmed, confirmed=ended.confirmed)


def lease_lapsed() -> Ending:
    """The generation may act no more: no farewell either, another driver may hold the seat."""
    return Ending("lease_lapsed", "the lease was not renewed in time", leaves=False)


def _decision_line(turn: Unfolding, key: str) -> DecisionLine:
    decision = turn.decision
    assert decision is not None
    return DecisionLine(
        turn=turn.number,
        attempt=turn.attempt,
        idempotency_key=key,
        decision=Decided(
            monologue=decision.monologue,
            intent=decision.intent,
            notes=decision.notes,
            objective=decision.objective,
            reply=decision.reply,
            speak=decision.speak,
            action=decision.payload,
            clipped=decision.clipped,
        ),
    )
