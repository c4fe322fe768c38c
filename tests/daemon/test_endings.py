"""What an exit and a claim mean together."""

import os

import pytest

from daemon.children import Status
from daemon.endings import SessionEnd, end_of
from daemon.session_process import Cause, Exit
from kernel.session.wire import Ended, Refused

CLEAN = Status(os.CLD_EXITED, 0)
KILLED = Status(os.CLD_KILLED, 9)
CLAIM = Ended(outcome="idle", leave="confirmed", turns_taken=7, receipt="r")


def test_a_claim_stands_whatever_the_exit_code_is():
    for status in (CLEAN, Status(os.CLD_EXITED, 3), KILLED):
        assert end_of(Exit(status, None), CLAIM, "running") == SessionEnd(
            "idle", "", "confirmed", "r", 7
        )


@pytest.mark.parametrize(
    ("cause", "outcome"),
    [
        ("hung", "hung"),
        ("protocol_error", "protocol_error"),
        ("stop_deadline", "stop_deadline"),
        ("stop_now", "stopped"),
        ("lease_lapsed", "lease_lapsed"),
        ("shutdown", "supervisor_lost"),
        ("lingered", "idle"),
    ],
)
def test_what_the_supervisor_did_outranks_the_claim(cause: Cause, outcome: str):
    end = end_of(Exit(KILLED, cause), CLAIM, "running")
    assert end.outcome == outcome
    assert end.leave == "confirmed"


@pytest.mark.parametrize(
    ("reached", "reason", "leave"),
    [
        ("starting", "died before running: exit code 3", "not_joined"),
        ("joining", "died before running: exit code 3", "unconfirmed"),
        ("running", "died while running: exit code 3", "unconfirmed"),
    ],
)
def test_dying_before_running_and_after_are_told_apart(reached, reason: str, leave: str):
    end = end_of(Exit(Status(os.CLD_EXITED, 3), None), None, reached)
    assert (end.outcome, end.reason, end.leave) == ("crashed", reason, leave)


def test_a_clean_exit_without_a_claim_is_a_crash():
    assert end_of(Exit(CLEAN, None), None, "running").outcome == "crashed"


def test_a_refusal_is_no_outcome():
    end = end_of(Exit(CLEAN, None), Refused(reason="taken", detail="by another"), "joining")
    assert end == SessionEnd(None, "taken: by another", "not_joined", refused="taken")


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("world_unreachable", "world"),
        ("world_full", "world"),
        ("region_not_hosted", "world"),
        ("world_refused", "world"),
        ("model_unusable", "model"),
        ("no_credential", "configuration"),
        ("taken", "session_refused"),
    ],
)
def test_a_join_is_told_whose_trouble_a_refusal_is(reason: str, code: str):
    end = end_of(Exit(CLEAN, None), Refused(reason=reason, detail="so"), "joining")
    assert end.code == code
    assert reason in end.reason


def test_a_join_is_told_when_the_model_did_not_answer():
    assert SessionEnd("mind_unavailable", "no answer", "confirmed").code == "model"
    assert SessionEnd("crashed", "died", "confirmed").code == "session_failed"


def test_a_refusal_that_may_still_hold_the_body_is_an_unconfirmed_leave():
    refused = Refused(reason="state_unwritable", detail="full", recovery="ask this")
    assert end_of(Exit(CLEAN, None), refused, "joining").leave == "unconfirmed"
    assert end_of(Exit(KILLED, "stop_deadline"), refused, "joining").leave == "unconfirmed"
