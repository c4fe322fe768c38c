"""An evaluation as text for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kernel.journal.evaluation.comparison import Compared
from kernel.journal.evaluation.evaluate import Evaluated
from kernel.journal.evaluation.shape import KnownTime, Terminal, Unreadable
from kernel.journal.evaluation.side_logs import LifecycleEvent, outcome_by
from kernel.journal.evaluation.spent import Spent


def tell(run: Evaluated) -> str:
    """One run on one screen."""
    evaluation, header = run.evaluation, run.header
    identity, counts = evaluation.run, evaluation.aggregate
    stalls, mind = counts.stalls, header.models.mind if header.models else None
    recovered = counts.recovered_turns or 0
    lines = [
        ("run", identity.run_id or "unnamed"),
        ("scenario", f"{identity.scenario_id}, journal version {identity.journal_schema_version}"),
        (
            "player",
            ", ".join(filter(None, (mind and f"{mind.provider}/{mind.model}", header.persona))),
        ),
        ("started", identity.started_at),
        ("ended", _ended(identity.terminal, run.event)),
        ("", ""),
        ("turns", f"{counts.turns}: {_counts(counts.outcomes)}" if counts.turns else "none"),
        ("", f"{recovered} recovered from decision and action lines" if recovered else ""),
        ("effects", _counts(run.proofs)),
        ("deciding", _time(counts.timing.decision)),
        ("acting", _time(counts.timing.action)),
        ("tokens", _spent(run.spent, counts.turns)),
        ("", ""),
        ("intent → action", _counts(counts.intent_to_action)),
        ("goal → action", _counts(counts.goal_to_action)),
        ("plan", _counts(run.plan)),
        ("movement", _counts(counts.movement_effectiveness)),
        ("scene", _counts(counts.scene_action_appropriateness)),
        ("rejections", _counts(counts.rejection_recovery)),
        ("narration", _counts(counts.narration)),
        (
            "stalls",
            f"{stalls.signalled_turns} turns signalled; at most "
            f"{stalls.max_turns_since_new_tile} turns without a new tile, "
            f"{stalls.max_repeated_turns} with the same effect, "
            f"{stalls.max_recurring_turns} in recurring states",
        ),
    ]
    if isinstance(evaluation.unreadable, Unreadable):
        lines.append(("passed over", _unreadable(evaluation.unreadable)))
    return "\n".join(_labelled(lines))


def tell_comparison(rows: Iterable[Compared]) -> list[Sequence[str]]:
    """A row of cells for each run, under the columns of `COMPARISON`."""
    return [
        (
            row.run_id or row.path,
            row.model or "–",
            row.persona or "–",
            row.outcome or "unknown",
            str(row.turns),
            "–" if row.acceptance is None else f"{row.acceptance:.0%}",
            "–" if row.tiles_per_action is None else f"{row.tiles_per_action:.2f}",
            "–" if row.tokens_per_turn is None else f"{row.tokens_per_turn:,.0f}",
            "–" if row.cost_per_turn is None else f"~${row.cost_per_turn:.5f}",
        )
        for row in rows
    ]


COMPARISON = (
    "RUN",
    "MODEL",
    "PERSONA",
    "ENDED",
    "TURNS>",
    "ACCEPTED>",
    "TILES/ACTION>",
    "TOKENS/TURN>",
    "COST/TURN>",
)
"""The columns; those that end in `>` stand to the right."""

_QUIET = ("not_applicable", "unknown")


def _labelled(lines: Iterable[tuple[str, str]]) -> Iterable[str]:
    for label, text in lines:
        if text or not label:
            yield f"{label:>15}  {text}".rstrip()


def _ended(terminal: Terminal, event: LifecycleEvent | None) -> str:
    if terminal.source == "unknown":
        return "unknown: no summary and no lifecycle event says"
    by = "its summary" if terminal.source == "summary" else "its lifecycle event"
    at = f", {terminal.at}" if terminal.at else ""
    agree = ""
    if terminal.lifecycle_consistent is not None and event is not None:
        agrees = terminal.lifecycle_consistent
        agree = f"; the lifecycle event {'agrees' if agrees else f'says {_said(event)}'}"
    return f"{terminal.outcome}, by {by}{at}{agree}"


def _said(event: LifecycleEvent) -> str:
    state, outcome = event.type.rpartition(".")[2], outcome_by(event)
    return state if outcome == state else f"{state}, {outcome}"


def _counts(counts: Mapping[str, int]) -> str:
    """The largest first; what does not apply and what is not known at the end."""
    ordered = sorted(counts.items(), key=lambda item: (item[0] in _QUIET, -item[1], item[0]))
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in ordered)


def _time(time: KnownTime) -> str:
    if time.average_ms is None:
        return "unknown"
    unknown = f", {time.unknown} unknown" if time.unknown else ""
    return f"{time.average_ms / 1000:.1f} s on average, {_long(time.total_ms)} in all{unknown}"


def _long(milliseconds: int) -> str:
    minutes, seconds = divmod(milliseconds // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {seconds:02} s"


def _spent(spent: Spent, turns: int) -> str:
    if spent.tokens is None:
        return ""
    each = f" ({spent.tokens / turns:,.0f} a turn)" if turns else ""
    if spent.cost is None:
        return f"{spent.tokens:,}{each}, cost unknown"
    reserved = ", in part for reserved tokens" if spent.estimated else ""
    return f"{spent.tokens:,}{each}, cost ~${spent.cost:.4f}{reserved}"


def _unreadable(unreadable: Unreadable) -> str:
    parts = (
        (unreadable.lifecycle_lines, "lifecycle lines that do not parse"),
        (unreadable.receipt_lines, "receipt lines that do not parse"),
        (unreadable.torn_tail_bytes, "bytes of a torn tail"),
    )
    return ", ".join(f"{count} {what}" for count, what in parts if count)
