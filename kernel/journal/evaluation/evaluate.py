"""Evaluating a run: one walk over its journal, one small record for each turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
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
from kernel.journal.evaluation.side_logs import LifecycleEvents, Receipts
from kernel.journal.evaluation.terminal import terminal_state
from kernel.journal.evaluation.verdicts import Judgement
from kernel.journal.lines import Line, SummaryLine
from kernel.journal.projection import FindReading
from kernel.journal.reader import reading_for
from kernel.journal.recorded import RecordedTurn
from kernel.journal.run import RunWalk


class RunEvaluator:
    """Evaluates one journal. `walk` is complete once `evaluate` has returned."""

    def __init__(self, path: Path, find_reading: FindReading) -> None:
        self.walk = RunWalk(path, find_reading)
        self._find_reading = find_reading

    def evaluate(self, events: LifecycleEvents, receipts: Receipts) -> Evaluation:
        """All verdicts and their counts; the side logs may be empty.

        Raises JournalUnreadable, and JournalDamaged also for a file without a header.
        """
        turns: list[EvaluatedTurn] = []
        outcomes: Counter[str] = Counter()
        stalls: list[Judgement] = []
        previous: str | None = None
        for turn, judgement, following in self._judged():
            outcomes[turn.turn.outcome] += 1
            turns.append(_evaluated(turn, judgement, following, previous, receipts))
            previous = turn.turn.objective
            stalls.append(judgement)
        header = self.walk.header
        if header is None:
            raise JournalDamaged(self.walk.path, 1, "the file has no header", "kind")
        run_id = None if header.run_id is UNSET else header.run_id
        summary, torn = self.walk.summary, self.walk.torn
        unreadable = Unreadable(
            lifecycle_lines=events.unreadable,
            receipt_lines=receipts.unreadable,
            torn_tail_bytes=torn.bytes if torn is not None and not torn.whole else 0,
        )
        return Evaluation(
            run=Run(
                run_id=run_id,
                scenario_id=header.scenario_id,
                journal_schema_version=header.schema_version,
                started_at=header.started_at,
                terminal=terminal_state(summary, events.end_of(run_id)),
            ),
            aggregate=_aggregate(turns, outcomes, stalls, summary),
            turns=tuple(turns),
            unreadable=UNSET if unreadable == Unreadable() else unreadable,
        )

    def _judged(self) -> Iterator[tuple[RecordedTurn, Judgement, RecordedTurn | None]]:
        """Each turn with its judgement and the turn that follows it."""
        judge: Callable[[RecordedTurn], Judgement] | None = None
        turn: RecordedTurn | None = None
        judgement = Judgement()
        for following in self.walk.turns():
            if turn is not None:
                yield turn, judgement, following
            judge = judge or self._judge()
            turn, judgement = following, judge(following)
        if turn is not None:
            yield turn, judgement, None

    def _judge(self) -> Callable[[RecordedTurn], Judgement]:
        assert self.walk.header is not None
        reading = reading_for(self.walk.header, self._find_reading)
        return (lambda _: Judgement()) if reading is None else reading.judge


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
    stalls: list[Judgement],
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
        stalls=Stalls(
            signalled_turns=sum(judgement.stalled for judgement in stalls),
            max_turns_since_new_tile=_largest(turn.turns_since_new_tile for turn in stalls),
            max_repeated_turns=_largest(turn.repeated_turns for turn in stalls),
            max_recurring_turns=_largest(turn.recurring_turns for turn in stalls),
        ),
        summary=None if summary is None else summary_alone(summary),
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


def _largest(counts: Iterable[int]) -> int:
    return max(counts, default=0)


def summary_alone(summary: SummaryLine) -> Raw:
    """The summary's own fields as JSON, without the envelope that every line has."""
    fields = msgspec.to_builtins(summary)
    for name in _ENVELOPE:
        fields.pop(name, None)
    return Raw(msgspec.json.encode(fields))


_ENVELOPE = ("kind", *Line.__struct_encode_fields__)
