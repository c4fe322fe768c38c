"""Runs side by side: how far each came, and what it used for it."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from kernel.journal.evaluation.evaluate import Evaluated
from kernel.journal.evaluation.rules import SUCCEEDED


class Compared(Struct, frozen=True, kw_only=True, rename="camel"):
    """One run's row. A share, a rate or a price is null where it is unknown, never 0."""

    path: str
    run_id: str | None
    environment_id: str | None
    model: str | None
    persona: str | None
    outcome: str | None
    turns: int
    acceptance: float | None
    """The share of turns whose action was done."""
    tiles: int
    """Distinct tiles on which the player was seen."""
    tiles_per_action: float | None
    """Tiles after the first for each action that was done."""
    tokens: int | None
    tokens_per_turn: float | None
    cost: float | None
    """Dollars, an estimate."""
    cost_per_turn: float | None


def compared(path: Path, run: Evaluated) -> Compared:
    """The row of one evaluated run."""
    evaluation, header, spent = run.evaluation, run.header, run.spent
    turns = evaluation.aggregate.turns
    done = sum(evaluation.aggregate.outcomes.get(outcome, 0) for outcome in SUCCEEDED)
    tiles = len(
        {
            seen
            for turn in evaluation.turns
            for seen in (turn.movement.start, turn.movement.end)
            if seen is not None
        }
    )
    return Compared(
        path=str(path),
        run_id=evaluation.run.run_id,
        environment_id=header.environment_id or None,
        model=header.models.mind.model if header.models else None,
        persona=header.persona,
        outcome=evaluation.run.terminal.outcome,
        turns=turns,
        acceptance=_ratio(done, turns),
        tiles=tiles,
        tiles_per_action=_ratio(tiles - 1, done) if tiles else None,
        tokens=spent.tokens,
        tokens_per_turn=_ratio(spent.tokens, turns),
        cost=spent.cost,
        cost_per_turn=_ratio(spent.cost, turns),
    )


def _ratio(part: float | None, whole: int) -> float | None:
    return part / whole if part is not None and whole else None
