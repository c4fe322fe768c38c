"""The Minecraft turn line: what happened in one turn, with the motor's own evidence."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Raw, Struct, UnsetType

from bodies.minecraft.acting import Done
from bodies.minecraft.effects import MinecraftEffect
from bodies.minecraft.observation import Surroundings
from bodies.minecraft.wire import Action
from kernel.body import CallUsage, Said, TurnFacts
from kernel.journal.lines import (
    NULL,
    Count,
    Decided,
    Dollars,
    Line,
    Timing,
    opaque,
    require_narration_pair,
)

MinecraftTurn = TurnFacts[Surroundings, Action, Done]


class Call(Struct, frozen=True, kw_only=True, rename="camel"):
    """One model call of the turn. A null cost is unknown (K29)."""

    role: Literal["mind", "voice"] = "mind"
    input: Count = 0
    output: Count = 0
    cache_read: Count = 0
    cache_write: Count = 0
    charged: Count = 0
    reported: bool = False
    cost: Dollars | None = None


class NativeTurn(Struct, frozen=True, kw_only=True, rename="camel"):
    """What was decided and what came of it. `action` is a motor's `ActionStatus`, in full."""

    turn: Count
    decision: Decided | None
    outcome: str
    effect: str | None = None
    action: Raw = NULL
    failure: str | None = None
    """Why there was no decision, no action, or no trust in its status."""
    preemptions: Count = 0
    usage: tuple[Call, ...] = ()


class Remembered(Struct, frozen=True, kw_only=True):
    """The player's memory as it stands after the turn."""

    notes: str | None = None
    objective: str | None = None


class MinecraftTurnLine(Line, frozen=True, kw_only=True, tag="turn"):
    """A settled turn. `shown`, `before` and `after` encode a `Stage` each, or are null (K34)."""

    schema_version: Literal[1, 2] = 2
    connection_generation: Count
    turn: NativeTurn
    shown: Raw = NULL
    before: Raw = NULL
    after: Raw = NULL
    memory: Remembered = Remembered()
    interjection: str | None = None
    speak_suppressed: bool = False
    world_event: str | None = None
    events_lost: Count = 0
    """Events of the world that were missed since the turn before."""
    stalled_for_turns: Count = 0
    """Turns in a row that changed nothing, this one included (K22)."""
    timing: Timing | None = None
    speech_delivery_id: str | UnsetType = UNSET
    narration_event: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        require_narration_pair(self.speech_delivery_id, self.narration_event)


def turn_line(
    facts: MinecraftTurn,
    *,
    connection_generation: int,
    notes: str | None,
    objective: str | None,
    world_event: str | None,
    events_lost: int,
    stalled_for_turns: int,
) -> MinecraftTurnLine:
    """The line of a turn; `notes` and `objective` as they stand after it."""
    timing, speech = facts.timing, facts.speech
    return MinecraftTurnLine(
        connection_generation=connection_generation,
        turn=NativeTurn(
            turn=facts.number,
            decision=_decided(facts),
            outcome=facts.outcome,
            effect=_effect(facts),
            action=_status(facts),
            failure=_failure(facts),
            preemptions=facts.preemptions,
            usage=tuple(_call(call) for call in facts.calls),
        ),
        shown=facts.shown.stage if facts.shown else NULL,
        before=facts.before.stage if facts.before else NULL,
        after=facts.after.stage if facts.after else NULL,
        memory=Remembered(notes=notes, objective=objective),
        interjection=_heard(facts.heard),
        speak_suppressed=speech.suppressed,
        world_event=world_event,
        events_lost=events_lost,
        stalled_for_turns=stalled_for_turns,
        timing=Timing(
            decision_started_at=timing.decision_started_at,
            decision_settled_at=timing.decision_settled_at,
            action_started_at=timing.action_started_at,
            action_settled_at=timing.action_settled_at,
        ),
        speech_delivery_id=speech.delivery_id or UNSET,
        narration_event=speech.narration_event or UNSET,
    )


def _decided(facts: MinecraftTurn) -> Decided | None:
    decision = facts.decision
    if decision is None:
        return None
    return Decided(
        monologue=decision.monologue,
        intent=decision.intent,
        notes=decision.notes,
        objective=decision.objective,
        action=decision.payload,
        clipped=decision.clipped,
    )


def _effect(facts: MinecraftTurn) -> str | None:
    effect = facts.effect
    if isinstance(effect, MinecraftEffect):
        return effect.whole
    return effect.text if effect else None


def _status(facts: MinecraftTurn) -> Raw:
    status = facts.settled.native.status if facts.settled else None
    return opaque(status) if status else NULL


def _failure(facts: MinecraftTurn) -> str | None:
    return facts.failure or (facts.settled.native.failure if facts.settled else None)


def _heard(heard: tuple[Said, ...]) -> str | None:
    return "\n".join(f"{said.speaker}: {said.text}" for said in heard) or None


def _call(call: CallUsage) -> Call:
    return Call(
        role=call.role,
        input=call.input,
        output=call.output,
        cache_read=call.cache_read,
        cache_write=call.cache_write,
        charged=call.charged,
        reported=call.reported,
        cost=call.cost,
    )
