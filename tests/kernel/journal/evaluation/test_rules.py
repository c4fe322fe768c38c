from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from kernel.journal.evaluation.rules import narration, plan_continuity, rejection_recovery
from kernel.journal.evaluation.side_logs import LifecycleEvent, Receipts
from kernel.journal.evaluation.terminal import terminal_state
from kernel.journal.lines import SummaryLine, Turn, TurnLine, opaque
from kernel.journal.projection import project
from kernel.journal.recorded import RecordedTurn, recorded

UP = {"kind": "button_press", "button": "up", "holdFrames": 8}
UP_IN_ANOTHER_ORDER = {"holdFrames": 8, "button": "up", "kind": "button_press"}
DOWN = {"kind": "button_press", "button": "down", "holdFrames": 8}


def turn(
    outcome: str = "accepted", action: object = UP, delivery: str | None = None, **said: Any
) -> RecordedTurn:
    line = TurnLine(
        turn=Turn(
            turn=0,
            observation_sha256=None,
            monologue=None,
            intent=None,
            notes=None,
            action=opaque(action),
            outcome=outcome,
            **said,
        ),
        speech_delivery_id=delivery or msgspec.UNSET,
        narration_event=delivery or msgspec.UNSET,
    )
    return recorded(Path("j.jsonl"), 2, project(line))


@pytest.mark.parametrize(
    ("previous", "current", "verdict"),
    [
        (None, None, "unknown"),
        (None, "go", "unknown"),
        ("go", None, "cleared"),
        ("go", "go", "continued"),
        ("go", "Go", "changed"),
    ],
)
def test_a_plan_goes_on_while_its_text_stays(
    previous: str | None, current: str | None, verdict: str
) -> None:
    assert plan_continuity(previous, current) == verdict


@pytest.mark.parametrize(
    ("rejected", "following", "verdict"),
    [
        (turn("accepted"), turn("accepted"), "not_applicable"),
        (turn("state_changed"), None, "not_applicable"),
        (turn("action_failed"), turn("settled"), "not_applicable"),
        (turn("rejected_by_adapter"), None, "unknown"),
        (turn("rejected_by_adapter", None), turn(), "unknown"),
        (turn("rejected_by_adapter"), turn("mind_failed", None), "unknown"),
        (turn("rejected_by_adapter"), turn("accepted", UP_IN_ANOTHER_ORDER), "repeated"),
        (turn("rejected_by_adapter"), turn("rejected_by_adapter"), "repeated"),
        (turn("rejected_by_adapter"), turn("accepted", DOWN), "recovered"),
        (turn("rejected_by_adapter"), turn("state_changed", DOWN), "changed_without_success"),
        (turn("rejected_by_adapter"), turn("rejected_by_adapter", DOWN), "changed_without_success"),
    ],
)
def test_what_follows_a_rejection_tells_if_the_player_recovered(
    rejected: RecordedTurn, following: RecordedTurn | None, verdict: str
) -> None:
    assert rejection_recovery(rejected, following) == verdict


@pytest.mark.parametrize(
    ("of", "verdict"),
    [
        (turn(), "model_silent"),
        (turn(reply="yes"), "model_silent"),
        (turn(speak_wanted=True), "no_attempt"),
        (turn(speak="Look!"), "no_attempt"),
        (turn("mind_failed", None), "no_attempt"),
        (turn(speak_suppressed=True, speak="Look!"), "suppressed"),
        (turn(speak_suppressed=True, delivery="d"), "attempted_no_receipt"),
        (turn(delivery="d"), "attempted_no_receipt"),
    ],
)
def test_without_a_delivery_the_turn_itself_tells_why_it_was_silent(
    of: RecordedTurn, verdict: str
) -> None:
    assert narration(of, Receipts()) == verdict


def event(state: str, outcome: str | None = None) -> LifecycleEvent:
    data = {"sessionId": "r"} | ({"outcome": outcome} if outcome else {})
    return msgspec.convert(
        {"type": f"embodiment.session.{state}", "occurredAt": "later", "data": data},
        LifecycleEvent,
    )


STOPPED = SummaryLine(outcome="stopped", turns_taken=3, at="2026-03-01T10:00:00.000Z")


@pytest.mark.parametrize(
    ("summary", "ended", "source", "outcome", "agree"),
    [
        (None, None, "unknown", None, None),
        (None, event("stopped", "idle"), "lifecycle", "idle", None),
        (None, event("failed"), "lifecycle", "failed", None),
        (STOPPED, None, "summary", "stopped", None),
        (STOPPED, event("stopped", "stopped"), "summary", "stopped", True),
        (STOPPED, event("stopped", "idle"), "summary", "stopped", False),
        (STOPPED, event("failed", "crashed"), "summary", "stopped", False),
        (STOPPED, event("stopped"), "summary", "stopped", True),
        (STOPPED, event("failed"), "summary", "stopped", False),
        (SummaryLine(outcome="hung", turns_taken=1), event("failed"), "summary", "hung", True),
    ],
)
def test_the_terminal_state_comes_from_the_summary_first(
    summary: SummaryLine | None,
    ended: LifecycleEvent | None,
    source: str,
    outcome: str | None,
    agree: bool | None,
) -> None:
    terminal = terminal_state(summary, ended)
    assert (terminal.source, terminal.outcome, terminal.lifecycle_consistent) == (
        source,
        outcome,
        agree,
    )
    assert terminal.summary_present is (summary is not None)
    assert terminal.lifecycle_event_type == (ended.type if ended else None)


def test_the_time_of_the_end_comes_from_where_the_end_comes_from() -> None:
    assert terminal_state(STOPPED, event("stopped", "stopped")).at == STOPPED.at
    assert terminal_state(None, event("stopped", "stopped")).at == "later"
