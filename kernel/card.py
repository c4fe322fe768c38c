"""The bounded card of one turn, for people who watch (K36)."""

from __future__ import annotations

from kernel.body import AnyTurn, Remembered
from kernel.session.wire import Card

THOUGHT = 300
INTENT = 200
EFFECT = 200
SPOKEN = 400


def card_of(turn: AnyTurn, remembered: Remembered, at: str, seconds: float) -> Card:
    """Cut text for an audience; the trail keeps the whole."""
    decision, sight = turn.decision, turn.after or turn.before or turn.shown
    effect = turn.effect.text if turn.effect else turn.failure
    spoken = None if turn.speech.suppressed else turn.speech.speak
    return Card(
        turn=turn.number,
        at=at,
        outcome=turn.outcome,
        scene=sight.scene[:120] if sight else "",
        picture=sight.picture[:4000] if sight else "",
        thought=_cut(decision.monologue if decision else None, THOUGHT),
        intent=_cut(decision.intent if decision else None, INTENT),
        objective=_cut(remembered.objective, INTENT),
        action=_cut(decision.description if decision else None, INTENT),
        effect=_cut(effect, EFFECT),
        spoken=_cut(turn.speech.reply or spoken, SPOKEN),
        decision_ms=turn.timing.decision_ms,
        action_ms=turn.timing.action_ms,
        turn_ms=round(seconds * 1000),
        gauges=remembered.gauges,
    )


def _cut(text: str | None, bound: int) -> str | None:
    if text is None or len(text) <= bound:
        return text
    return text[: bound - 1] + "…"
