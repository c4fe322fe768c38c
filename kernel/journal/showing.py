"""One turn as text for people: in a line, or opened."""

from __future__ import annotations

from collections.abc import Iterator

from kernel.journal.evaluation.spent import spent_by
from kernel.journal.evaluation.verdicts import Judgement
from kernel.journal.inspection import Inspection
from kernel.journal.lines import (
    JournalGapLine,
    NotableLine,
    SummaryLine,
    TransportLine,
)
from kernel.journal.reader import Value
from kernel.journal.recorded import RecordedTurn


def turn_in_a_line(turn: RecordedTurn, judgement: Judgement) -> str:
    """Number, time, outcome, action and effect."""
    time = (turn.at or "")[11:19]
    effect = turn.turn.effect or turn.turn.detail or ""
    mark = " (recovered)" if turn.recovered else ""
    action = judgement.action or "no action"
    told = " ".join(f"{action} → {effect}".split()) if effect else action
    return f"{turn.turn.turn:>5}  {time:8}  {turn.turn.outcome}{mark}: {told}"


def line_of(value: Value) -> str | None:
    """What a line that is no turn tells whoever follows a run; None for the bookkeeping."""
    match value:
        case NotableLine():
            return f"notable: {value.notable}" + (f", {value.detail}" if value.detail else "")
        case TransportLine():
            status = f" {value.status}" if value.status is not None else ""
            return f"a call of the {value.role} failed: {value.failure}{status}"
        case JournalGapLine():
            return f"{value.lost} lines were lost: {value.cause.replace('_', ' ')}"
        case SummaryLine():
            return f"ended: {value.outcome} after {value.turns_taken} turns"
        case _:
            return None


def turn_opened(turn: RecordedTurn, judgement: Judgement, inspection: Inspection) -> str:
    """Everything of a turn that a person may want to read."""
    head = f"turn {turn.turn.turn}, {turn.turn.outcome}"
    if turn.recovered:
        head += ", recovered from its decision and action lines"
    if turn.at is not None:
        head += f", {turn.at}"
    lines = [head]
    for label, text in _parts(turn, judgement, inspection):
        first, *rest = text.splitlines() or [""]
        lines.append(f"{label:>14}  {first}")
        lines.extend(f"{'':>14}  {line}" for line in rest)
    return "\n".join(lines)


def _parts(
    turn: RecordedTurn, judgement: Judgement, inspection: Inspection
) -> Iterator[tuple[str, str]]:
    said = turn.turn
    yield from ((passage.label, passage.text) for passage in inspection.saw)
    told = (
        ("heard", said.interjection),
        ("thought", said.monologue),
        ("intent", said.intent),
        ("action", judgement.action),
        ("effect", said.effect),
        ("advice", said.effect_advice),
    )
    yield from ((label, text) for label, text in told if text)
    yield from ((passage.label, passage.text) for passage in inspection.result)
    kept = (
        ("detail", said.detail if said.effect is None else None),
        ("reply", said.reply),
        ("speak", f"{said.speak} (held back)" if said.speak_suppressed else said.speak),
        ("objective", said.objective),
        ("retired", said.objective_retired),
        ("notes", said.notes),
        ("cut", ", ".join(said.clipped)),
        ("spent", _spent(turn, judgement)),
        ("picture", turn.screenshot.path if turn.screenshot else None),
        ("verdicts", _verdicts(judgement)),
    )
    yield from ((label, text) for label, text in kept if text)


def _spent(turn: RecordedTurn, judgement: Judgement) -> str:
    parts: list[str] = []
    if judgement.decision_ms is not None:
        parts.append(f"{judgement.decision_ms / 1000:.1f} s deciding")
    if judgement.action_ms is not None:
        parts.append(f"{judgement.action_ms / 1000:.1f} s acting")
    if turn.turn.usage is not None:
        spent = spent_by(turn.turn.usage)
        if spent.tokens is not None:
            parts.append(f"{spent.tokens:,} tokens")
        if spent.cost is not None:
            parts.append(f"~${spent.cost:.5f}")
    return ", ".join(parts)


def _verdicts(judgement: Judgement) -> str:
    named = {
        "intent": judgement.intent_to_action,
        "goal": judgement.goal_to_action,
        "scene": judgement.scene_action,
        "movement": judgement.movement.effectiveness,
    }
    known = (
        f"{name} {verdict}"
        for name, verdict in named.items()
        if verdict not in ("unknown", "not_applicable")
    )
    return ", ".join(known)
