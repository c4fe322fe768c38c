"""One action in a slice of time, on a clock of the test's own (K24)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from bodies.minecraft import wire
from bodies.minecraft.acting import Done, perform, settled
from bodies.minecraft.effects import effect_of
from bodies.minecraft.motor.motor import MotorLost
from bodies.minecraft.motor.native import NativeMotor

WALK = wire.Goto(wire.BlockPosition(9, 64, 9), 1)
REF = wire.SessionRef("s", 1)
NEVER = 10**6
FAILING_CHECK = {"kind": "inventory", "item": "a", "expected": 4, "observed": 3}

Perform = Callable[..., Any]


@pytest.fixture
def attempt(memory_tools: Any) -> Perform:
    """Performs WALK over a script; gives what came of it, the tools called, and seconds."""

    async def attempted(
        script: dict[str, Any], stop_at: float | None = None
    ) -> tuple[Done, list[str], float]:
        tools, stopping = memory_tools(script), trio.Event()
        done: Done | None = None

        async def stop() -> None:
            if stop_at is not None:
                await trio.sleep(stop_at)
                stopping.set()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(stop)
            began = trio.current_time()
            done = await perform(NativeMotor(tools), REF, "a-1", WALK, stopping)
            took = trio.current_time() - began
            nursery.cancel_scope.cancel()
        assert done is not None
        return done, tools.called, took

    return attempted


async def test_an_action_is_watched_until_it_is_over(
    autojump_clock: MockClock, attempt: Perform
) -> None:
    done, called, _ = await attempt({"looks": 3})
    assert done.failure is None
    assert effect_of(done).what == "verified"
    assert called == ["act"] + ["action_status"] * 4


async def test_an_action_that_takes_longer_than_its_slice_is_cancelled_through_the_motor(
    autojump_clock: MockClock,
    attempt: Perform,
) -> None:
    done, called, took = await attempt({"looks": NEVER})
    assert called.count("cancel_action") == 1
    assert 10 <= took < 11
    assert done.status.state == "cancelled"
    assert (settled(done).outcome, effect_of(done).what) == ("settled", "unknown")


async def test_the_evidence_of_a_cancelled_action_decides_its_effect(
    autojump_clock: MockClock, attempt: Perform
) -> None:
    evidence = {
        "kind": "refuted",
        "source": "server_observer",
        "observedAt": "2099-01-01T00:00:00Z",
        "checks": [FAILING_CHECK],
    }
    twist = {"evidence": evidence, "updatedAt": "2099-01-01T00:00:00Z"}
    done, _, _ = await attempt({"looks": NEVER, "cancel_action": [{"twist": twist}]})
    effect = effect_of(done)
    assert effect.what == "refuted"
    assert "3 a instead of 4" in effect.text


async def test_completed_without_proof_is_no_success(
    autojump_clock: MockClock, attempt: Perform
) -> None:
    unproved = {"evidence": {"kind": "unknown", "reason": "local_report_only"}}
    done, _, _ = await attempt({"action_status": [{"twist": unproved}]})
    assert done.status.state == "completed"
    effect = effect_of(done)
    assert effect.what == "unknown"
    assert "only the bot itself says so" in effect.text


async def test_a_stop_cancels_through_the_motor_at_once(
    autojump_clock: MockClock, attempt: Perform
) -> None:
    """K9."""
    done, called, took = await attempt({"looks": NEVER}, stop_at=1.0)
    assert called[-1] == "cancel_action"
    assert 1.0 <= took < 1.1
    assert done.status.state == "cancelled"


async def test_an_action_that_does_not_stop_is_given_up_after_five_seconds(
    autojump_clock: MockClock,
    attempt: Perform,
) -> None:
    running = {"twist": {"state": "cancel_requested"}, "loop": True}
    done, _, took = await attempt(
        {"looks": NEVER, "cancel_action": [running], "action_status": [running]}
    )
    assert done.failed
    assert "still under way" in done.failure
    assert 15 <= took < 16


CONTRADICTORY = {
    "kind": "verified",
    "source": "server_packet",
    "observedAt": "2099-01-01T00:00:00Z",
    "checks": [FAILING_CHECK],
}


@pytest.mark.parametrize("tool", ["act", "action_status"])
@pytest.mark.parametrize(
    ("twist", "why"),
    [
        ({"session": {"sessionId": "s", "connectionGeneration": 2}}, "another session"),
        ({"session": {"sessionId": "t", "connectionGeneration": 1}}, "another session"),
        ({"actionId": "a-0"}, "another action"),
        ({"requested": {"kind": "chat", "text": "hi"}}, "another action than the one requested"),
        ({"evidence": CONTRADICTORY, "updatedAt": "2099-01-01T00:00:00Z"}, "a check fails"),
        ({"evidence": CONTRADICTORY}, "not seen between"),
    ],
)
async def test_a_status_that_is_not_about_this_action_is_a_failure_and_never_a_success(
    autojump_clock: MockClock, attempt: Perform, tool: str, twist: dict[str, Any], why: str
) -> None:
    done, called, _ = await attempt({tool: [{"twist": twist}]})
    assert settled(done).outcome == "action_failed"
    assert settled(done).failed
    assert why in done.failure
    assert effect_of(done).what == "unknown"
    assert "cancel_action" in called


@pytest.mark.parametrize(
    "step",
    [
        {"error": "inventory is full"},
        {"text": '{"ok": false, "error": "inventory is full"}'},
        {"text": "inventory is full"},
    ],
)
async def test_a_failure_inside_a_success_envelope_is_a_failure(
    autojump_clock: MockClock, attempt: Perform, step: dict[str, Any]
) -> None:
    """Case 28."""
    refused = {"error": "no such action"}
    done, _, _ = await attempt({"act": [step], "cancel_action": [refused]})
    assert done.failed
    assert "inventory is full" in done.failure


async def test_one_look_that_fails_loses_nothing_of_a_proved_action(
    autojump_clock: MockClock, attempt: Perform
) -> None:
    script = {
        "action_status": [{"error": "busy"}],
        "cancel_action": [{"twist": {"state": "completed"}}],
    }
    done, _, _ = await attempt(script)
    assert done.failure is None
    assert done.status.state == "completed"


async def test_a_late_answer_is_waited_for_no_longer_than_the_slice(
    autojump_clock: MockClock, attempt: Perform
) -> None:
    done, called, took = await attempt({"action_status": [{"late": 70}]})
    assert 10 <= took < 16
    assert called[-1] == "cancel_action"
    assert done.status.state == "cancelled"


async def test_a_motor_that_is_gone_ends_more_than_the_action(
    autojump_clock: MockClock, attempt: Perform
) -> None:
    with pytest.raises(ExceptionGroup) as raised:
        await attempt({"action_status": [{"exit": 1}]})
    assert raised.group_contains(MotorLost)


@pytest.mark.parametrize(
    ("state", "kind", "outcome"),
    [
        ("completed", "verified", "settled"),
        ("completed", "refuted", "settled"),
        ("completed", "unknown", "settled"),
        ("cancelled", "unknown", "settled"),
        ("uncertain", "unknown", "settled"),
        ("failed", "unknown", "action_failed"),
        ("failed", "refuted", "action_failed"),
        ("failed", "verified", "settled"),
    ],
)
def test_only_a_failure_that_is_not_proved_done_counts_as_one(
    state: Any, kind: str, outcome: str
) -> None:
    """K14."""
    at = "2026-01-01T00:00:00Z"
    checks = (wire.InventoryCheck("a", 1, 1 if kind == "verified" else 0),)
    evidence: dict[str, wire.Evidence] = {
        "unknown": wire.Unknown("not_observed"),
        "verified": wire.Verified("server_packet", at, checks),
        "refuted": wire.Refuted("server_packet", at, checks),
    }
    status = wire.ActionStatus(REF, "a-1", WALK, state, at, at, evidence[kind])
    done = Done(WALK, status)
    assert settled(done).outcome == outcome
    assert effect_of(done).what == kind
