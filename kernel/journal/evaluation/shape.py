"""What an evaluation says, in the shape that `--json` prints."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Raw, Struct, UnsetType

from kernel.journal.evaluation.verdicts import (
    Alignment,
    Appropriateness,
    Continuity,
    Effectiveness,
    Movement,
    Narration,
    Recovery,
)


class Terminal(Struct, frozen=True, kw_only=True, rename="camel"):
    """How the run ended and where that was read from; null where nobody says."""

    source: Literal["summary", "lifecycle", "unknown"]
    outcome: str | None
    at: str | None
    summary_present: bool
    lifecycle_event_type: str | None
    lifecycle_consistent: bool | None
    """Whether summary and lifecycle event agree; null unless there are both."""


class Run(Struct, frozen=True, kw_only=True, rename="camel"):
    run_id: str | None
    scenario_id: str
    journal_schema_version: int
    started_at: str
    terminal: Terminal


class Verdicts(Struct, frozen=True, kw_only=True, rename="camel"):
    intent_to_action: Alignment
    goal_to_action: Alignment
    plan_continuity: Continuity
    scene_action_appropriateness: Appropriateness
    movement_effectiveness: Effectiveness
    rejection_recovery: Recovery
    narration: Narration


class Communication(Struct, frozen=True, kw_only=True, rename="camel"):
    delivery_id: str | None
    matching_receipt_types: tuple[str, ...]


class TurnTiming(Struct, frozen=True, kw_only=True, rename="camel"):
    decision_ms: int | None
    action_ms: int | None


class EvaluatedTurn(Struct, frozen=True, kw_only=True, rename="camel"):
    turn: int
    at: str | None
    movement: Movement
    communication: Communication
    verdicts: Verdicts
    timing: TurnTiming
    recovered: Literal[True] | UnsetType = UNSET
    """Present on a turn that was joined from its decision and action lines."""


class KnownTime(Struct, frozen=True, kw_only=True, rename="camel"):
    """Milliseconds over the turns where they are known; no average over none."""

    known: int
    unknown: int
    total_ms: int
    average_ms: float | None


class Times(Struct, frozen=True, kw_only=True, rename="camel"):
    decision: KnownTime
    action: KnownTime


class Stalls(Struct, frozen=True, kw_only=True, rename="camel"):
    signalled_turns: int
    max_turns_since_new_tile: int
    max_repeated_turns: int
    max_recurring_turns: int


class Aggregate(Struct, frozen=True, kw_only=True, rename="camel"):
    turns: int
    outcomes: dict[str, int]
    timing: Times
    intent_to_action: dict[str, int]
    goal_to_action: dict[str, int]
    movement_effectiveness: dict[str, int]
    scene_action_appropriateness: dict[str, int]
    rejection_recovery: dict[str, int]
    narration: dict[str, int]
    stalls: Stalls
    summary: Raw | None
    """What the run's summary says, without its envelope; null for a run without one."""
    recovered_turns: int | UnsetType = UNSET
    """Present when some turns were joined from their decision and action lines."""


class Unreadable(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What could not be read and was passed over."""

    lifecycle_lines: int = 0
    receipt_lines: int = 0
    torn_tail_bytes: int = 0


class Evaluation(Struct, frozen=True, kw_only=True, rename="camel"):
    """One run, evaluated."""

    schema_version: Literal[1] = 1
    run: Run
    aggregate: Aggregate
    turns: tuple[EvaluatedTurn, ...]
    unreadable: Unreadable | UnsetType = UNSET
    """Present when something was passed over."""
