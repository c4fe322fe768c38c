"""The Pokémon turn line: what happened in one turn, with its evidence."""

from __future__ import annotations

from hashlib import sha256

import msgspec
from msgspec import UNSET

from bodies.pokemon.results import PokemonTurn
from bodies.pokemon.signals import Signals
from kernel.body import CallUsage, Said
from kernel.journal.lines import NULL, Evidence, Timing, Turn, TurnLine, Usage, opaque

DETAIL = 400


def turn_line(
    facts: PokemonTurn,
    *,
    notes: str | None,
    objective: str | None,
    objective_retired: str | None,
    progress: tuple[msgspec.Raw, msgspec.Raw],
    signals: Signals | None,
) -> TurnLine:
    """The line of a turn; `notes` and `objective` as they stand after it, the tallies around it."""
    decision, effect, shown, speech = facts.decision, facts.effect, facts.shown, facts.speech
    return TurnLine(
        turn=Turn(
            turn=facts.number,
            observation_sha256=sha256(shown.native.recorded).hexdigest() if shown else None,
            framebuffer_sha256=shown.frame_sha256 if shown else None,
            monologue=decision.monologue if decision else None,
            intent=decision.intent if decision else None,
            notes=notes,
            objective=objective,
            objective_retired=objective_retired,
            interjection=_heard(facts.heard),
            reply=speech.reply,
            speak=speech.speak,
            speak_suppressed=speech.suppressed,
            speak_wanted=speech.wanted,
            action=decision.payload if decision else NULL,
            outcome=facts.outcome,
            detail=_detail(facts),
            effect=effect.text if effect else None,
            effect_advice=effect.advice if effect else None,
            usage=_usage(facts.calls),
            clipped=decision.clipped if decision else (),
        ),
        evidence=_evidence(facts, progress, signals),
        speech_delivery_id=speech.delivery_id or UNSET,
        narration_event=speech.narration_event or UNSET,
    )


def _evidence(
    facts: PokemonTurn, progress: tuple[msgspec.Raw, msgspec.Raw], signals: Signals | None
) -> msgspec.Raw:
    timing = facts.timing
    return opaque(
        Evidence(
            decision=facts.shown.stage if facts.shown else NULL,
            immediate_pre_action=facts.before.stage if facts.before else NULL,
            post_action=facts.after.stage if facts.after else NULL,
            action_result=facts.settled.result if facts.settled else NULL,
            progress_before=progress[0],
            progress_after=progress[1],
            signals=opaque(signals) if signals else NULL,
            timing=Timing(
                decision_started_at=timing.decision_started_at,
                decision_settled_at=timing.decision_settled_at,
                action_started_at=timing.action_started_at,
                action_settled_at=timing.action_settled_at,
            ),
            window=facts.window,
        )
    )


def _detail(facts: PokemonTurn) -> str | None:
    if facts.failure:
        return facts.failure[:DETAIL]
    return facts.settled.native.detail if facts.settled else None


def _heard(heard: tuple[Said, ...]) -> str | None:
    return "\n".join(f"{said.speaker}: {said.text}" for said in heard) or None


def _usage(calls: tuple[CallUsage, ...]) -> Usage | None:
    """The turn's calls together; one unknown cost makes the sum unknown (K29)."""
    if not calls:
        return None
    tokens_in = tokens_out = read = written = charged = unreported = 0
    cost: float | None = 0.0
    for call in calls:
        tokens_in += call.input
        tokens_out += call.output
        read += call.cache_read
        written += call.cache_write
        charged += call.charged
        unreported += not call.reported
        cost = None if cost is None or call.cost is None else cost + call.cost
    return Usage(
        input=tokens_in,
        output=tokens_out,
        cache_read=read,
        cache_write=written,
        charged=charged,
        calls=len(calls),
        unreported=unreported,
        cost=cost,
        estimated=unreported > 0,
    )
