"""The Pokémon body: a seat in a hosted world, with the policy of its game."""

from __future__ import annotations

from typing import Literal, Protocol
from urllib.parse import quote

import msgspec
import trio

from bodies.pokemon import wire
from bodies.pokemon.coherence import Coherence
from bodies.pokemon.decision import BOUNDS, PokemonDecision, decide
from bodies.pokemon.effects import Happening, happened
from bodies.pokemon.observations import Witness
from bodies.pokemon.pictures import reasons_to_keep
from bodies.pokemon.prompt import Prompter
from bodies.pokemon.recollection import Recollection
from bodies.pokemon.results import PokemonSettled, PokemonTurn, Results
from bodies.pokemon.seat.counters import Counters
from bodies.pokemon.seat.recovery import recovery_value
from bodies.pokemon.sight import Eyes, PokemonSight, View
from bodies.pokemon.signals import Signals
from bodies.pokemon.turn_line import turn_line
from kernel.body import (
    BodyTrouble,
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
    message_replaces="cancel",
    unknown_usage_ends=False,
    fresh_after_change=2,
    failures_to_end=5,
    back_off_failed_actions=False,
    changed="state_changed",
    invalid="invalid_decision",
)


class PokemonWorld(Protocol):
    """What the body needs of a seat. Operations raise WorldEnded and BodyTrouble."""

    counters: Counters

    async def join(self) -> wire.JoinAnswer: ...

    async def observe(self) -> wire.Observation: ...

    async def frame(self) -> wire.Frame: ...

    async def act(self, action: wire.Action, idempotency_key: str) -> wire.ActAnswer: ...

    async def wait_ended(self) -> WorldEnded: ...

    async def leave(self) -> Leave: ...


class PokemonBody:
    """One seat for one session; implements kernel.body.Body."""

    policy = POLICY

    def __init__(self, world: PokemonWorld) -> None:
        self._world = world
        self._recollection = Recollection()
        self._tally = opaque(self._recollection.progress.tally())
        self._coherence = Coherence()
        self._signals: tuple[PokemonSight, Signals] | None = None
        self._eyes: Eyes | None = None
        self._results: Results | None = None
        self._prompter: Prompter | None = None
        self._last_seen: View | None = None

    async def join(self) -> Joined:
        """Take the seat. Raises JoinRefused."""
        joined = await self._world.join()
        world, player = quote(joined.world_id, safe=""), quote(joined.player_id, safe="")
        witness = Witness(joined.session_id, joined.world_id, joined.player_id, joined.game_id)
        self._eyes = Eyes(witness, joined.world_id)
        self._results = Results(joined.session_id)
        self._prompter = Prompter(joined.game_id, joined.limits)
        return Joined(
            environment_id=f"pokemon-{joined.game_id}",
            environment_session_id=joined.session_id,
            journey_id=f"world:{world}:player:{player}",
            venue="world",
            recovery=recovery_value(joined),
        )

    def recall(self, memory: Memory) -> None:
        """Start from what the journey remembers (K17)."""
        self._recollection.recall(memory.notes, memory.objective)

    def ready(self) -> Literal["idle"] | None:
        """A seat is never idle by its own reckoning."""
        return None

    async def observe(self) -> PokemonSight:
        """The screen now with its picture. Raises WorldEnded, BodyTrouble."""
        assert self._eyes is not None, "join() comes first"
        observed = await self._world.observe()
        return self._eyes.sight(observed, await self._picture(observed))

    def prompt(self, sight: PokemonSight, context: Context) -> Prompt:
        """What the model is shown for this sight."""
        assert self._prompter is not None, "join() comes first"
        signals = self._recollection.signals(sight.native, context.turns_since_spoken)
        self._signals = (sight, signals)
        return self._prompter.prompt(sight, context, signals)

    def decode(self, answer: bytes, sight: PokemonSight) -> PokemonDecision | Invalid:
        """Read one JSON object as a decision (K12)."""
        del sight
        return decide(answer)

    def known(self, decision: PokemonDecision, sight: PokemonSight) -> PokemonSettled | None:
        """The refusal remembered for this action under this evidence (K21)."""
        assert self._results is not None, "join() comes first"
        assert decision.action is not None
        refusal = self._recollection.refusals.known(decision.action, sight.native)
        return self._results.remembered(decision.action, refusal) if refusal else None

    async def act(
        self, decision: PokemonDecision, key: str, stopping: trio.Event
    ) -> PokemonSettled:
        """Do it once. A stop lets it settle, as long as the kernel waits; only the picture is left.

        Raises WorldEnded.
        """
        assert self._results is not None, "join() comes first"
        assert self._eyes is not None
        action = decision.action
        assert action is not None
        try:
            answer = await self._world.act(action, key)
        except BodyTrouble as trouble:
            return self._results.troubled(action, trouble)
        after: PokemonSight | None = None
        if isinstance(answer.outcome, wire.Ran):
            seen = answer.outcome.observation
            after = self._eyes.sight(seen, None if stopping.is_set() else await self._picture(seen))
        return self._results.answered(action, answer, after)

    def verify(
        self, before: PokemonSight, settled: PokemonSettled, after: PokemonSight | None
    ) -> Happening:
        """What the action did, from evidence."""
        return happened(settled.native, before.native, after.native if after else None)

    def remember(self, turn: PokemonTurn) -> Remembered:
        """Fold the turn into memory and progress, and give its line."""
        memory = self._recollection
        signals = self._signals_shown(turn)
        tally_before, objective_before = self._tally, memory.objective.text
        memory.fold(turn)
        self._tally = opaque(memory.progress.tally())
        self._coherence.fold(
            turn.decision.payload if turn.decision and turn.settled else None,
            turn.decision.intent if turn.decision else None,
            stands=turn.effect is not None and turn.effect.stands,
        )
        objective = memory.objective
        seen = turn.after or turn.shown
        now, last = seen.native if seen else None, self._last_seen
        self._last_seen = now or last
        return Remembered(
            line=turn_line(
                turn,
                notes=memory.notes,
                objective=objective.text,
                objective_retired=objective.retired,
                progress=(tally_before, self._tally),
                signals=signals,
            ),
            notes=memory.notes,
            objective=objective.text,
            screenshot=reasons_to_keep(
                turn, last, now, objective_changed=objective.text != objective_before
            ),
            notables=memory.notables(turn),
            gauges=memory.gauges(now) if now else {},
        )

    def pace(self) -> float:
        """The world waits for nobody."""
        return 0.0

    async def ended(self) -> WorldEnded:
        """Wait until the world is over."""
        return await self._world.wait_ended()

    async def leave(self) -> Leave:
        """Give the seat back."""
        return await self._world.leave()

    def totals(self) -> Totals:
        """What the summary says of this run."""
        return Totals(
            progress=self._tally,
            coherence=self._coherence.share,
            longest_unchanged_run=self._recollection.longest_unchanged_run,
            longest_recurring_run=self._recollection.longest_recurring_run,
            objectives_retired=self._recollection.objective.retirements,
        )

    def stats(self) -> dict[str, int]:
        """Connection counters."""
        counters = self._world.counters
        return {
            "reconnects": counters.reconnects,
            "frames_published": counters.frames_received,
            "frames_dropped": counters.frames_lost,
            "frames_old": counters.frames_old,
            "late_answers": counters.late_answers,
            "stale_answers": counters.stale_answers,
            "garbled_messages": counters.garbled,
        }

    def _signals_shown(self, turn: PokemonTurn) -> Signals | None:
        """The signals of the turn's last prompt; computed afresh for a turn that asked nothing."""
        if turn.shown is None:
            return None
        if self._signals is not None and self._signals[0] is turn.shown:
            signals = self._signals[1]
        else:
            signals = self._recollection.signals(turn.shown.native, None)
        if turn.preemptions:
            signals = msgspec.structs.replace(signals, decision_preemptions=turn.preemptions)
        return signals

    async def _picture(self, observed: wire.Observation) -> bytes | None:
        """The newest picture of the body that was observed; a world that is over has none."""
        try:
            frame = await self._world.frame()
        except (BodyTrouble, WorldEnded):
            return None
        return frame.data if frame.body_generation == observed.body_generation else None
