"""Evaluating a run: one walk over its journal, one small record for each turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import UNSET, Raw

from kernel.journal.damage import JournalDamaged
from kernel.journal.evaluation.rules import narration, plan_continuity, rejection_recovery
from kernel.journal.evaluation.shape import (
    Aggregate,
    Communication,
    EvaluatedTurn,
    Evaluation,
    KnownTime,
    Run,
    Stalls,
    Times,
    TurnTiming,
    Unreadable,
    Verdicts,
)
from kernel.journal.evaluation.side_logs import LifecycleEvent, LifecycleEvents, Receipts
from kernel.journal.evaluation.spent import Spent, TurnsUsage
from kernel.journal.evaluation.terminal import terminal_state
from kernel.journal.evaluation.verdicts import Judgement
from kernel.journal.lines import HeaderLine, Line, SummaryLine, opaque
from kernel.journal.projection import FindReading
from kernel.journal.reader import reading_for
from kernel.journal.recorded import RecordedTurn
from kernel.journal.run import RunWalk


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A run with what the evaluation's fixed shape has no place for."""

    evaluation: Evaluation
    header: HeaderLine
    plan: Counter[str]
    """Counts of planContinuity."""
    proofs: Counter[str]
    """Actions by what evidence says of their effect, in a game whose evidence does."""
    spent: Spent
    event: LifecycleEvent | None
    """That ended it."""


def evaluate(
    path: Path, find_reading: FindReading, events: LifecycleEvents, receipts: Receipts
) -> Evaluated:
    """Evaluate one journal; the side logs may be empty.

    Raises JournalUnreadable, and JournalDamaged also for a file without a header.
    """
    walk = RunWalk(path, find_reading)
    turns: list[EvaluatedTurn] = []
    outcomes: Counter[str] = Counter()
    proofs: Counter[str] = Counter()
    stalls = _Stalls()
    usage = TurnsUsage()
    previous: str | None = None
    for turn, judgement, following in _judged(walk, find_reading):
        outcomes[turn.turn.outcome] += 1
        if judgement.proof is not None:
            proofs[judgement.proof] += 1
        turns.append(_evaluated(turn, judgement, following, previous, receipts))
        previous = turn.turn.objective
        stalls.add(judgement)
        usage.add(turn.turn.usage)
    header, torn = walk.header, walk.torn
    if header is None:
        raise JournalDamaged(path, 1, "the file has no header", "kind")
    run_id = None if header.run_id is UNSET else header.run_id
    event = events.end_of(run_id)
    unreadable = Unreadable(
        lifecycle_lines=events.unreadable,
        receipt_lines=receipts.unreadable,
        torn_tail_bytes=torn.bytes if torn is not None and not torn.whole else 0,
    )
    evaluation = Evaluation(
        run=Run(
            run_id=run_id,
            scenario_id=header.scenario_id,
            journal_schema_version=header.schema_version,
            started_at=header.started_at,
            terminal=terminal_state(walk.summary, event),
        ),
        aggregate=_aggregate(turns, outcomes, stalls.counted(), walk.summary),
        turns=tuple(turns),
        unreadable=UNSET if unreadable == Unreadable() else unreadable,
    )
    plan = Counter[str](turn.verdicts.plan_continuity for turn in turns)
    return Evaluated(evaluation, header, plan, proofs, usage.of_run(walk), event)


def _judged(
    walk: RunWalk, find_reading: FindReading
) -> Iterator[tuple[RecordedTurn, Judgement, RecordedTurn | None]]:
    """Each turn with its judgement and the turn that follows it."""
    judge: Callable[[RecordedTurn], Judgement] | None = None
    turn: RecordedTurn | None = None
    judgement = Judgement()
    for following in walk.turns():
        if turn is not None:
            yield turn, judgement, following
        judge = judge or judge_of(walk, find_reading)
        turn, judgement = following, judge(following)
    if turn is not None:
        yield turn, judgement, None


def judge_of(walk: RunWalk, find_reading: FindReading) -> Callable[[RecordedTurn], Judgement]:
    """How the walk's turns are judged, once its header was read."""
    assert walk.header is not None
    reading = reading_for(walk.header, find_reading)
    return (lambda _: Judgement()) if reading is None else reading.judge


class _Stalls:
    def __init__(self) -> None:
        self._signalled = self._tiles = self._repeated = self._recurring = 0

    def add(self, judgement: Judgement) -> None:
        self._signalled += judgement.stalled
        self._tiles = max(self._tiles, judgement.turns_since_new_tile)
        self._repeated = max(self._repeated, judgement.repeated_turns)
        self._recurring = max(self._recurring, judgement.recurring_turns)

    def counted(self) -> Stalls:
        return Stalls(
            signalled_turns=self._signalled,
            max_turns_since_new_tile=self._tiles,
            max_repeated_turns=self._repeated,
            max_recurring_turns=self._recurring,
        )


def _evaluated(
    turn: RecordedTurn,
    judgement: Judgement,
    following: RecordedTurn | None,
    previous_objective: str | None,
    receipts: Receipts,
) -> EvaluatedTurn:
    return EvaluatedTurn(
        turn=turn.turn.turn,
        at=turn.at,
        movement=judgement.movement,
        communication=Communication(
            delivery_id=turn.speech_delivery_id,
            matching_receipt_types=receipts.types_of(turn.speech_delivery_id),
        ),
        verdicts=Verdicts(
            intent_to_action=judgement.intent_to_action,
            goal_to_action=judgement.goal_to_action,
            plan_continuity=plan_continuity(previous_objective, turn.turn.objective),
            scene_action_appropriateness=judgement.scene_action,
            movement_effectiveness=judgement.movement.effectiveness,
            rejection_recovery=rejection_recovery(turn, following),
            narration=narration(turn, receipts),
        ),
        timing=TurnTiming(decision_ms=judgement.decision_ms, action_ms=judgement.action_ms),
        recovered=True if turn.recovered else UNSET,
    )


def _aggregate(
    turns: list[EvaluatedTurn],
    outcomes: Counter[str],
    stalls: Stalls,
    summary: SummaryLine | None,
) -> Aggregate:
    def counts(verdict: str) -> dict[str, int]:
        return dict(Counter(getattr(turn.verdicts, verdict) for turn in turns))

    recovered = sum(turn.recovered is True for turn in turns)
    return Aggregate(
        turns=len(turns),
        outcomes=dict(outcomes),
        timing=Times(
            decision=_known(turn.timing.decision_ms for turn in turns),
            action=_known(turn.timing.action_ms for turn in turns),
        ),
        intent_to_action=counts("intent_to_action"),
        goal_to_action=counts("goal_to_action"),
        movement_effectiveness=counts("movement_effectiveness"),
        scene_action_appropriateness=counts("scene_action_appropriateness"),
        rejection_recovery=counts("rejection_recovery"),
        narration=counts("narration"),
        stalls=stalls,
        summary=None if summary is None else _summary_alone(summary),
        recovered_turns=recovered or UNSET,
    )


def _known(times: Iterable[int | None]) -> KnownTime:
    every = list(times)
    known = [time for time in every if time is not None]
    return KnownTime(
        known=len(known),
        unknown=len(every) - len(known),
        total_ms=sum(known),
        average_ms=sum(known) / len(known) if known else None,
    )


def _summary_alone(summary: SummaryLine) -> Raw:
    """The summary's own fields as JSON, without the envelope that every line has."""
    fields = msgspec.json.decode(msgspec.json.encode(summary), type=dict[str, Raw])
    for name in _ENVELOPE:
        fields.pop(name, None)
    return opaque(fields)


_ENVELOPE = ("kind", *Line.__struct_encode_fields__)
