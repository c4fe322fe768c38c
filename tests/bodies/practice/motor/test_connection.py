"""Phases, terminations and generations."""

from contextlib import suppress
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodies.practice.motor.motor import (
    Declined,
    advanced,
    leave_goes_wrong,
    line_broken,
    new_motor,
    reconnected,
    status,
)
from bodies.practice.motor.tools import perform
from bodies.practice.motor.wire import (
    Confirmed,
    MotorStatus,
    NotRequested,
    Pending,
    UncertainTermination,
)

NEEDS = {"disconnected": Confirmed, "uncertain": UncertainTermination, "stopping": Pending}
ENDPOINT = {
    "host": "localhost",
    "port": 25565,
    "version": "1.20.1",
    "username": "Bot",
    "auth": "offline",
}


def _step(motor, number, step):
    session = None if motor.connection is None else msgspec.to_builtins(motor.connection.session)
    match step:
        case "wait":
            return advanced(motor, motor.world.tick + 2)
        case "break":
            return line_broken(motor, None)
        case "lose":
            return line_broken(motor, "connection_lost")
        case "stick":
            return leave_goes_wrong(motor, "timeout")
        case "reconnect":
            return reconnected(motor)
        case "join":
            ref = {"sessionId": "s-1", "connectionGeneration": number + 1}
            return perform(
                motor, "join", {"session": ref, "profileId": "home", "endpoint": ENDPOINT}
            )[0]
        case "act":
            action = {"kind": "chat", "text": "hello"}
            asked = {"session": session, "actionId": str(number), "action": action}
            return perform(motor, "act", asked)[0]
        case _:
            return perform(motor, step, {"session": session})[0]


STEPS = ("wait", "pause", "resume", "leave", "break", "lose", "stick", "reconnect", "join", "act")


@settings(deadline=None)
@given(st.lists(st.sampled_from(STEPS), max_size=20))
def test_whatever_is_asked_phase_and_termination_agree(steps):
    motor = new_motor(0, datetime(2026, 1, 1, tzinfo=UTC))
    for number, step in enumerate(["join", *steps]):
        with suppress(Declined):
            motor = _step(motor, number, step)
        answer = status(motor)
        assert isinstance(answer.termination, NEEDS.get(answer.phase, NotRequested))
        is_present = answer.phase in ("active", "pausing", "paused", "stopping")
        assert (motor.world.bot is not None) == is_present
        if motor.under_way is not None:
            assert answer.phase == "active"


def test_nothing_is_joined_until_somebody_joins(fresh):
    fresh.wait(100)
    assert fresh.ask("status") == MotorStatus()
    assert fresh.ask("leave").termination.source == "not_connected"
    assert fresh.ask("status") == MotorStatus()


def test_a_join_connects_in_a_second_and_a_leave_is_confirmed_in_another(fresh):
    fresh.join()
    assert fresh.ask("status").phase == "active"
    pending = fresh.ask("leave")
    assert (pending.phase, type(pending.termination)) == ("stopping", Pending)
    fresh.wait(4)
    assert fresh.ask("leave").termination == Confirmed("2026-01-01T00:00:02.000Z", "connection_end")


def test_a_used_generation_is_not_joined_again_and_the_next_is(bench):
    bench.ask("leave")
    bench.wait(4)
    with pytest.raises(Declined, match="generation 2"):
        bench.join(1)
    bench.join(2)
    with pytest.raises(Declined) as stale:
        bench.ask("observe")
    assert stale.value.code == "stale_session"


def test_who_is_connected_must_leave_before_joining_again(bench):
    with pytest.raises(Declined) as declined:
        bench.join(2)
    assert declined.value.code == "already_connected"


def test_a_reconnect_is_a_new_generation_and_the_old_one_gets_no_answer(bench):
    bench.motor = reconnected(bench.motor)
    assert bench.ask("status").session.connection_generation == 2
    with pytest.raises(Declined) as stale:
        bench.act("a", "chat", text="still there?")
    assert stale.value.code == "stale_session"


def test_a_pause_interrupts_the_action_and_holds_until_the_resume(bench):
    bench.act("far", "goto", position={"x": 12, "y": 67, "z": 12}, tolerance=3)
    assert bench.ask("pause").phase == "pausing"
    interrupted = bench.ask("action_status", actionId="far")
    assert (interrupted.state, interrupted.evidence.reason) == ("cancelled", "interrupted")
    bench.wait(2)
    assert bench.ask("status").phase == "paused"
    with pytest.raises(Declined) as declined:
        bench.act("more", "chat", text="hello")
    assert declined.value.code == "wrong_phase"
    assert bench.ask("resume").phase == "active"


def test_a_broken_line_leaves_the_action_uncertain(bench):
    bench.act("far", "goto", position={"x": 12, "y": 67, "z": 12}, tolerance=3)
    bench.motor = line_broken(bench.motor, "adapter_lost")
    assert bench.ask("status").termination.code == "adapter_lost"
    lost = bench.ask("action_status", actionId="far")
    assert (lost.state, lost.evidence.reason) == ("uncertain", "connection_lost")


@pytest.mark.parametrize("code", ["timeout", "connection_lost", "adapter_lost"])
def test_a_leave_may_end_uncertain_and_be_tried_again(bench, code):
    bench.motor = leave_goes_wrong(bench.motor, code)
    bench.ask("leave")
    bench.wait(4)
    assert bench.ask("status").termination.code == code
    assert bench.ask("leave").phase == "stopping"
