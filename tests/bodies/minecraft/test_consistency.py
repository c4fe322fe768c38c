"""What a motor may say of itself and of an action before it is believed."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bodies.minecraft import wire
from bodies.minecraft.consistency import (
    agrees,
    contradiction_in_action,
    contradiction_in_status,
    mismatch,
)

REF = {"sessionId": "s", "connectionGeneration": 1}
AT = "2026-01-01T00:00:00.000Z"
TERMINATIONS: dict[str, dict[str, Any]] = {
    "not_requested": {"kind": "not_requested"},
    "pending": {"kind": "pending", "requestedAt": AT},
    "uncertain": {"kind": "uncertain", "requestedAt": AT, "code": "timeout"},
    "confirmed": {"kind": "confirmed", "confirmedAt": AT, "source": "connection_end"},
}
REQUIRED = {
    "connecting": "not_requested",
    "active": "not_requested",
    "pausing": "not_requested",
    "paused": "not_requested",
    "stopping": "pending",
    "uncertain": "uncertain",
    "disconnected": "confirmed",
}


@pytest.mark.parametrize("phase", REQUIRED)
@pytest.mark.parametrize("termination", TERMINATIONS)
def test_each_phase_requires_its_own_termination(phase: str, termination: str) -> None:
    status = msgspec.convert(
        {"session": REF, "phase": phase, "termination": TERMINATIONS[termination]},
        wire.MotorStatus,
    )
    assert (contradiction_in_status(status) is None) is (REQUIRED[phase] == termination)


@pytest.mark.parametrize(
    ("fields", "sound"),
    [
        ({}, True),
        ({"session": None, "phase": None, "termination": None}, True),
        ({"phase": "active", "termination": TERMINATIONS["not_requested"]}, False),
        ({"session": REF}, False),
        ({"session": REF, "phase": "active"}, False),
    ],
)
def test_a_motor_tells_a_whole_session_or_none(fields: dict[str, Any], sound: bool) -> None:
    status = msgspec.convert(fields, wire.MotorStatus)
    assert (contradiction_in_status(status) is None) is sound


POINT = {"x": 0, "y": 64, "z": 0}


@pytest.mark.parametrize(
    ("check", "agreed"),
    [
        ({"kind": "block", "position": POINT, "expected": "air", "observed": "air"}, True),
        ({"kind": "block", "position": POINT, "expected": "air", "observed": "dirt"}, False),
        ({"kind": "block", "position": POINT, "expected": "air", "observed": None}, False),
        ({"kind": "inventory", "item": "a", "expected": 4, "observed": 4}, True),
        ({"kind": "inventory", "item": "a", "expected": 4, "observed": 5}, False),
        ({"kind": "chat", "player": "p", "expected": "hi", "observed": "hi"}, True),
        ({"kind": "chat", "player": "p", "expected": "hi", "observed": "ho"}, False),
        (
            {
                "kind": "position",
                "player": "p",
                "expected": POINT,
                "observed": {"x": 3, "y": 64, "z": 4},
                "tolerance": 5,
            },
            True,
        ),
        (
            {
                "kind": "position",
                "player": "p",
                "expected": POINT,
                "observed": {"x": 3, "y": 64, "z": 4},
                "tolerance": 4.99,
            },
            False,
        ),
    ],
)
def test_a_check_compares_what_was_expected_with_what_was_seen(
    check: dict[str, Any], agreed: bool
) -> None:
    assert agrees(msgspec.convert(check, wire.Check)) is agreed


AGREEING = {"kind": "inventory", "item": "a", "expected": 1, "observed": 1}
FAILING = {"kind": "inventory", "item": "a", "expected": 1, "observed": 0}


def status(evidence: dict[str, Any], **others: Any) -> wire.ActionStatus:
    return msgspec.convert(
        {
            "session": REF,
            "actionId": "a-1",
            "requested": {"kind": "dig", "position": POINT},
            "state": "completed",
            "requestedAt": "2026-01-01T00:00:01Z",
            "updatedAt": "2026-01-01T00:00:03Z",
            "evidence": evidence,
            **others,
        },
        wire.ActionStatus,
    )


def seen(kind: str, checks: list[Any], at: str = "2026-01-01T00:00:02Z") -> dict[str, Any]:
    return {"kind": kind, "source": "server_packet", "observedAt": at, "checks": checks}


@pytest.mark.parametrize(
    ("evidence", "sound"),
    [
        (seen("verified", [AGREEING]), True),
        (seen("verified", [AGREEING, FAILING]), False),
        (seen("verified", [FAILING]), False),
        (seen("refuted", [FAILING]), True),
        (seen("refuted", [AGREEING, FAILING]), True),
        (seen("refuted", [AGREEING]), False),
        (seen("verified", [AGREEING], "2026-01-01T00:00:01Z"), True),
        (seen("verified", [AGREEING], "2026-01-01T00:00:03Z"), True),
        (seen("verified", [AGREEING], "2026-01-01T00:00:00.999Z"), False),
        (seen("verified", [AGREEING], "2026-01-01T00:00:03.001Z"), False),
        (seen("verified", [AGREEING], "2026-02-31T00:00:00Z"), False),
        ({"kind": "unknown", "reason": "optimistic_cache"}, True),
    ],
)
def test_evidence_must_agree_with_its_checks_and_its_time(
    evidence: dict[str, Any], sound: bool
) -> None:
    assert (contradiction_in_action(status(evidence)) is None) is sound


def test_an_update_before_the_request_is_none() -> None:
    unknown = {"kind": "unknown", "reason": "not_observed"}
    assert contradiction_in_action(status(unknown, updatedAt="2026-01-01T00:00:00Z"))


@pytest.mark.parametrize(
    "wrong",
    [
        {"source": "bot_cache"},
        {"source": "adapter_report"},
        {"checks": []},
        {"checks": [AGREEING] * 65},
        {"kind": "certain"},
    ],
)
def test_only_a_witness_with_checks_can_verify(wrong: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        status(seen("verified", [AGREEING]) | wrong)


@pytest.mark.parametrize(
    ("others", "same"),
    [
        ({}, True),
        ({"session": {"sessionId": "s", "connectionGeneration": 2}}, False),
        ({"session": {"sessionId": "t", "connectionGeneration": 1}}, False),
        ({"actionId": "a-2"}, False),
        ({"requested": {"kind": "dig", "position": {"x": 1, "y": 64, "z": 0}}}, False),
        ({"requested": {"kind": "chat", "text": "x"}}, False),
    ],
)
def test_a_status_is_for_exactly_what_was_asked(others: dict[str, Any], same: bool) -> None:
    answer = status({"kind": "unknown", "reason": "not_observed"}, **others)
    asked = wire.Dig(wire.BlockPosition(0, 64, 0))
    assert (mismatch(answer, wire.SessionRef("s", 1), "a-1", asked) is None) is same
