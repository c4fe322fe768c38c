"""The speaking phase: who puts what into words, after the action settled (K25–K27)."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

import trio

from kernel.body import AnyDecision, Speech, TextBounds
from kernel.budget import SittingBudget
from kernel.controls import Controls
from kernel.model.errors import ModelFailure
from kernel.model.request import Prompt
from kernel.session import wire
from kernel.speech_gate import SpeechGate
from kernel.troubles import Troubles
from kernel.unfolding import Unfolding
from kernel.voice import Voice

NARRATION_CHARACTERS = 512


@dataclass(slots=True)
class Spoken:
    """How often the player could speak, did, was held back, and was not asked."""

    offered: int = 0
    taken: int = 0
    suppressed: int = 0
    skipped: int = 0
    voice_failures: int = 0


@dataclass(slots=True)
class Speaking:
    """Decides the speech of a turn. A failing voice is silence and never costs the turn (K13)."""

    bounds: TextBounds
    gate: SpeechGate
    controls: Controls
    budget: SittingBudget
    emit: Callable[[wire.FromSession], None]
    room_authors: bool
    """The room writes its own words: it gets a bounded event instead (K27)."""
    voice: Voice | None = None
    counts: Spoken = field(default_factory=Spoken)
    _troubles: Troubles = field(default_factory=Troubles)

    async def speak(self, turn: Unfolding, objective: str | None) -> Speech:
        """What is said in this turn. Cancelled by an ending, it stays what was decided before."""
        decision = turn.decision
        if decision is None:
            return Speech()
        wish = decision.speak is not None
        open_now = self.gate.open_at(turn.number)
        self.counts.offered += open_now
        held = wish and not open_now
        self.counts.suppressed += held
        if self.room_authors:
            return self._narrate(turn, decision, objective, wish and open_now, held)
        if self.voice is not None:
            return await self._voiced(self.voice, turn, decision, objective, held)
        return self._own_words(turn, decision, held)

    def _own_words(self, turn: Unfolding, decision: AnyDecision, held: bool) -> Speech:
        speak = None if held else decision.speak
        if decision.reply is not None:
            self._say("reply", decision.reply, turn.number)
        if speak is not None:
            self._say("speak", speak, turn.number)
            self._took_the_floor(turn.number)
        return Speech(
            reply=decision.reply,
            speak=decision.speak if held else speak,
            suppressed=held,
        )

    async def _voiced(
        self,
        voice: Voice,
        turn: Unfolding,
        decision: AnyDecision,
        objective: str | None,
        held: bool,
    ) -> Speech:
        wanted = decision.speak is not None
        pointless = not turn.heard and not self.gate.open_at(turn.number)
        if pointless or self.budget.reached():
            self.counts.skipped += 1
            return Speech(suppressed=held, wanted=wanted)
        prompt = voice.prompt(decision, turn.effect, objective, turn.heard)
        words = await self._ask(voice, prompt, turn)
        if words is None:
            return Speech(suppressed=held, wanted=wanted)
        if turn.heard:
            self._say("reply", words, turn.number)
            return Speech(reply=words, wanted=wanted)
        self._say("speak", words, turn.number)
        self._took_the_floor(turn.number)
        return Speech(speak=words, wanted=wanted)

    async def _ask(self, voice: Voice, prompt: Prompt, turn: Unfolding) -> str | None:
        scope = trio.CancelScope()
        with self.controls.reaching(scope):
            result = await voice.mind.ask(prompt, turn.number, turn.attempt, scope)
        if self.controls.ending is not None:
            return None
        if isinstance(result, ModelFailure):
            self.counts.voice_failures += 1
            self._troubles.say("voice", f"{result.kind.value}: {result.message}")
            return None
        bound = (self.bounds.reply if turn.heard else self.bounds.speak) or NARRATION_CHARACTERS
        return voice.read(result.object or b"", bound)

    def _narrate(
        self,
        turn: Unfolding,
        decision: AnyDecision,
        objective: str | None,
        wants_to_speak: bool,
        held: bool,
    ) -> Speech:
        wanted = decision.speak is not None
        if not wants_to_speak and decision.reply is None:
            return Speech(suppressed=held, wanted=wanted)
        parts = {
            "turn": str(turn.number),
            "happened": turn.effect.text if turn.effect else "nothing yet",
            "thought": decision.monologue,
            "intent": decision.intent,
            "objective": objective or "none",
            "reply wanted": "yes" if decision.reply is not None else "no",
        }
        event = "\n".join(f"{name}: {text}" for name, text in parts.items())
        delivery_id = str(uuid.uuid4())
        self.emit(
            wire.Speech(
                id=delivery_id,
                speech="narration",
                text=event[:NARRATION_CHARACTERS],
                turn=turn.number,
            )
        )
        if wants_to_speak:
            self._took_the_floor(turn.number)
        return Speech(
            reply=decision.reply,
            suppressed=held,
            wanted=wanted,
            delivery_id=delivery_id,
            narration_event=event[:NARRATION_CHARACTERS],
        )

    def _say(self, kind: wire.SpeechKind, text: str, number: int) -> None:
        self.controls.spoke(text)
        self.emit(wire.Speech(id=str(uuid.uuid4()), speech=kind, text=text, turn=number))

    def _took_the_floor(self, number: int) -> None:
        self.counts.taken += 1
        self.gate.spoke(number)
