"""The small pure rules: pacing, company, stalls, health classes, options."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bodies.minecraft import wire
from bodies.minecraft.adapter import POLICY, journey_id
from bodies.minecraft.fingerprint import fingerprint, health_class
from bodies.minecraft.options import Options, UnusableMotor, usable_motor
from bodies.minecraft.pacing import Company, pace
from bodies.minecraft.stalls import Stalls

PROFILE = {"id": "p", "host": "h", "port": 1, "version": "1.20.1", "username": "Alex"}


def options(**fields: Any) -> Options:
    return msgspec.convert({"motor": ["m"], "profile": PROFILE, **fields}, Options)


@pytest.mark.parametrize(
    ("near", "rests"),
    [(True, [2, 4, 8, 16, 30, 30, 30]), (False, [15, 30, 60, 60, 60, 60, 60])],
)
def test_rest_doubles_with_unchanged_turns_up_to_its_bound(near: bool, rests: list[int]) -> None:
    """K23."""
    assert [pace(near=near, unchanged=n) for n in range(7)] == rests
    assert pace(near=near, unchanged=10_000) == rests[-1]


def test_nobody_near_for_900_seconds_is_idle() -> None:
    """K23."""
    company = Company(near=False, last=100.0)
    assert not company.idle(999.9)
    assert company.idle(1000.0)
    met = company.seen(True, 990.0)
    assert not met.idle(5000.0)
    left = met.seen(False, 1000.0)
    assert not left.idle(1889.9)
    assert left.idle(1890.0)


def test_six_turns_that_change_and_prove_nothing_are_stuck_once() -> None:
    """K22."""
    stalls, stuck = Stalls(), []
    for _ in range(8):
        stalls = stalls.then(changed=False, verified=False)
        stuck.append(stalls.stuck)
    assert stuck == [False] * 5 + [True, False, False]
    assert (stalls.longest, stalls.unchanged) == (8, 8)


@pytest.mark.parametrize(
    ("changed", "verified", "counts"),
    [(True, False, (0, 0)), (False, True, (6, 0)), (True, True, (0, 0)), (False, False, (6, 6))],
)
def test_a_change_ends_both_counts_and_a_proof_the_stall_alone(
    changed: bool, verified: bool, counts: tuple[int, int]
) -> None:
    stalls = Stalls(unchanged=5, stalled=5, longest=5).then(changed=changed, verified=verified)
    assert (stalls.unchanged, stalls.stalled) == counts


@pytest.mark.parametrize(
    ("health", "name"),
    [(None, "unknown"), (0, "dead"), (-1, "dead"), (0.5, "danger"), (6, "danger"), (6.5, "alive")],
)
def test_health_has_four_classes(health: float | None, name: str) -> None:
    """K18."""
    assert health_class(health) == name


def test_the_fence_sees_phase_generation_and_health_class_alone() -> None:
    """K18."""
    on = wire.MotorStatus(wire.SessionRef("s", 1), "active", wire.NotRequested(), "words")
    again = wire.MotorStatus(wire.SessionRef("s", 2), "active", wire.NotRequested())
    paused = wire.MotorStatus(wire.SessionRef("s", 1), "paused", wire.NotRequested())
    assert fingerprint(on, 20) == fingerprint(on, 7)
    for other in (fingerprint(on, 6), fingerprint(again, 20), fingerprint(paused, 20)):
        assert fingerprint(on, 20) != other


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"motor": []}, "empty"),
        ({"motor": [""]}, "empty"),
        ({"motor": "ftp://h/"}, "no http"),
        ({"motor": "http://example.org/mcp"}, "plaintext"),
        ({"motor": "https://me:pass@example.org/mcp"}, "password"),
        ({"profile": {**PROFILE, "auth": "microsoft"}}, "offline"),
    ],
)
def test_a_motor_that_cannot_be_used_is_named_without_its_secret(
    fields: dict[str, Any], word: str
) -> None:
    with pytest.raises(UnusableMotor, match=word) as unusable:
        usable_motor(options(**fields))
    assert "pass@" not in str(unusable.value)


@pytest.mark.parametrize(
    "fields",
    [
        {"motor": ["node", "motor.js"]},
        {"motor": "http://127.0.0.1:1/mcp"},
        {"motor": "http://[::1]:1/mcp"},
        {"motor": "https://example.org/mcp"},
        {"motor": "http://example.org/mcp", "insecure": True},
    ],
)
def test_commands_loopback_and_encrypted_addresses_can_be_used(fields: dict[str, Any]) -> None:
    assert usable_motor(options(**fields)) == options(**fields).motor


def test_options_take_nothing_unknown() -> None:
    with pytest.raises(msgspec.ValidationError):
        options(host="elsewhere")


def test_a_journey_is_named_by_profile_and_conversation_percent_encoded() -> None:
    assert journey_id(options().profile, None) == "minecraft:p:Alex"
    profile = options(profile={**PROFILE, "id": "x:y"}).profile
    assert journey_id(profile, "team a/b:c") == "minecraft:x%3Ay:team%20a%2Fb%3Ac"


def test_the_policy_is_the_games_own() -> None:
    """K7, K8, K11, K14."""
    assert POLICY.message_replaces == "settle"
    assert POLICY.unknown_usage_ends
    assert POLICY.fresh_after_change == 0
    assert POLICY.failures_to_end == 3
    assert POLICY.back_off_failed_actions
    assert (POLICY.changed, POLICY.invalid) == ("stale_decision", "mind_failed")
    bounds = POLICY.bounds
    assert (bounds.monologue, bounds.intent, bounds.notes, bounds.objective) == (
        1000, 400, 4000, 1000,
    )  # fmt: skip
    assert bounds.interjection == 2000
