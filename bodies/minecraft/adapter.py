"""The Minecraft body: a motor's bot, with the policy of its game."""

from __future__ import annotations

from typing import Literal
from urllib.parse import quote

import msgspec
import trio
from msgspec.structs import replace

from bodies.minecraft.acting import MinecraftSettled, settled
from bodies.minecraft.decision import BOUNDS, MinecraftDecision, decide
from bodies.minecraft.effects import MinecraftEffect, effect_of
from bodies.minecraft.motor.link import MotorLink
from bodies.minecraft.observation import MinecraftSight, sight_of
from bodies.minecraft.options import Profile
from bodies.minecraft.pacing import Company, pace
from bodies.minecraft.prompt import Prompter, Recall
from bodies.minecraft.recovery import recovery_value
from bodies.minecraft.stalls import Stalls
from bodies.minecraft.stay import Stay
from bodies.minecraft.tally import Tally
from bodies.minecraft.turn_line import MinecraftTurn, turn_line
from kernel.body import (
    Context,
    Invalid,
    Joined,
    Leave,
    Memory,
    Policy,
    Remembered,
    Totals,
    WorldEnded,
)
from kernel.journal.lines import opaque
from kernel.model.request import Prompt

POLICY = Policy(
    bounds=BOUNDS,
    message_replaces="settle",
    unknown_usage_ends=True,
    fresh_after_change=0,
    failures_to_end=3,
    back_off_failed_actions=True,
    changed="stale_decision",
    invalid="mind_failed",
)


def journey_id(profile: Profile, conversation: str | None) -> str:
    """`minecraft:<profile>:<conversation>`, each percent-encoded; without a room its username."""
    return ":".join(
        ("minecraft", quote(profile.id, safe=""), quote(conversation or profile.username, safe=""))
    )


class MinecraftBody:
    """One bot for one session; implements kernel.body.Body."""

    policy = POLICY

    def __init__(
        self, profile: Profile, conversation: str | None, link: MotorLink, stay: Stay
    ) -> None:
        self._journey = journey_id(profile, conversation)
        self._link = link
        self._stay = stay
        self._prompter = Prompter(profile.username)
        self._notes: str | None = None
        self._objective: str | None = None
        self._stalls = Stalls()
        self._tally = Tally()
        self._company: Company | None = None
        self._last: MinecraftSight | None = None
        self._event_shown: str | None = None
        self._events_lost = 0
        """Lost events that earlier turn lines told of."""

    async def join(self) -> Joined:
        """Enter the profile's server. Raises JoinRefused."""
        await self._stay.join()
        self._company = Company(near=False, last=trio.current_time())
        session = self._stay.session
        return Joined(
            environment_id="minecraft",
            environment_session_id=session.session_id,
            journey_id=self._journey,
            venue="world",
            recovery=recovery_value(session),
            descendants=self._link.pids,
            connection_generation=session.connection_generation,
        )

    def recall(self, memory: Memory) -> None:
        """Start from what the journey remembers (K17)."""
        self._notes, self._objective = memory.notes, memory.objective

    def ready(self) -> Literal["idle"] | None:
        """Idle when nobody was near for 900 s (K23)."""
        company = self._company
        return "idle" if company and company.idle(trio.current_time()) else None

    async def observe(self) -> MinecraftSight:
        """What the bot sees now. Raises WorldEnded, BodyTrouble."""
        sight = sight_of(await self._stay.look())
        assert self._company is not None, "join() comes first"
        self._company = self._company.seen(bool(sight.native.near), trio.current_time())
        return sight

    def prompt(self, sight: MinecraftSight, context: Context) -> Prompt:
        """What the model is shown for this sight; an event is shown until a decision that stood."""
        self._event_shown = context.world_event or self._event_shown
        context = replace(context, world_event=self._event_shown)
        recall = Recall(self._notes, self._objective, self._stalls)
        return self._prompter.prompt(sight, context, recall)

    def decode(self, answer: bytes, sight: MinecraftSight) -> MinecraftDecision | Invalid:
        """Read one JSON object as a decision (K12)."""
        del sight
        return decide(answer)

    def known(self, decision: MinecraftDecision, sight: MinecraftSight) -> MinecraftSettled | None:
        """A motor's failures are not remembered: the same action may succeed later."""
        del decision, sight
        return None

    async def act(
        self, decision: MinecraftDecision, key: str, stopping: trio.Event
    ) -> MinecraftSettled:
        """Do it once. A stop cancels it through the motor; its evidence still counts."""
        assert decision.action is not None
        return settled(await self._stay.act(decision.action, key, stopping))

    def verify(
        self, before: MinecraftSight, settled: MinecraftSettled, after: MinecraftSight | None
    ) -> MinecraftEffect:
        """What the action did, by its evidence and nothing else (K24)."""
        del before, after
        return effect_of(settled.native)

    def remember(self, turn: MinecraftTurn) -> Remembered:
        """Fold the turn into memory and counts, and give its line."""
        decision, was_stuck = turn.decision, self._stalls.stuck
        if decision is not None:
            self._notes = self._notes if decision.notes is None else decision.notes
            if decision.objective is not msgspec.UNSET:
                self._objective = decision.objective
        self._fold(turn)
        event = self._event_shown if turn.shown is not None else None
        if decision is not None and turn.outcome != POLICY.changed:
            self._event_shown = None
        lost, self._events_lost = self._stay.events.lost - self._events_lost, self._stay.events.lost
        return Remembered(
            line=turn_line(
                turn,
                connection_generation=self._stay.session.connection_generation,
                notes=self._notes,
                objective=self._objective,
                world_event=event,
                events_lost=lost,
                stalled_for_turns=self._stalls.stalled,
            ),
            notes=self._notes,
            objective=self._objective,
            notables=("stuck",) if self._stalls.stuck and not was_stuck else (),
            gauges={
                "stalledForTurns": self._stalls.stalled,
                "unchangedForTurns": self._stalls.unchanged,
            },
        )

    def pace(self) -> float:
        """Seconds to rest (K23)."""
        company = self._company
        return pace(near=company is not None and company.near, unchanged=self._stalls.unchanged)

    async def ended(self) -> WorldEnded:
        """Wait until the world is over."""
        return await self._stay.wait_ended()

    async def leave(self) -> Leave:
        """Leave the game."""
        return await self._stay.leave()

    def totals(self) -> Totals:
        """What the summary says of this run."""
        return Totals(progress=opaque(self._tally), longest_unchanged_run=self._stalls.longest)

    def stats(self) -> dict[str, int]:
        """Connection counters."""
        events = self._stay.events
        return {
            "reconnects": self._stay.reconnects,
            "stale_answers": self._stay.stale,
            "garbled_messages": self._link.garbled,
            "events_heard": events.heard,
            "events_lost": events.lost,
            "event_gaps": events.gaps,
        }

    def _fold(self, turn: MinecraftTurn) -> None:
        """Count what a decided turn changed, against what the turn before it ended with."""
        seen = turn.after or turn.before or turn.shown
        since, self._last = self._last or turn.shown, seen or self._last
        if turn.decision is None or seen is None or since is None:
            return
        what = turn.effect.what if isinstance(turn.effect, MinecraftEffect) else None
        if what is not None or turn.outcome == "waited":
            self._tally = self._tally.then(what)
            self._stalls = self._stalls.then(
                changed=seen.native.unspoken != since.native.unspoken, verified=what == "verified"
            )
