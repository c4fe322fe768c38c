"""The grammar of `--misbehave`, when an instruction comes due, and what it makes of an answer."""

import pytest

from bodies.practice.motor.conduct import distorted
from bodies.practice.motor.misbehaviour import Mischief, Misdeed, parse
from bodies.practice.motor.wire import Verified

SPECS = [
    ("die", Misdeed("die", "", "act", 1)),
    ("die:2.5@act=3", Misdeed("die", "2.5", "act", 3)),
    ("hang", Misdeed("hang", "", "leave", 1)),
    ("hang@observe=2", Misdeed("hang", "", "observe", 2)),
    ("stuck:adapter_lost", Misdeed("stuck", "adapter_lost", "leave", 1)),
    ("contradict:time@action_status=2", Misdeed("contradict", "time", "action_status", 2)),
    ("contradict:phase", Misdeed("contradict", "phase", "status", 1)),
    ("start-error:wrong version: 1.8", Misdeed("start-error", "wrong version: 1.8", "join", 1)),
    ("flood:20@any=1", Misdeed("flood", "20", "any", 1)),
    ("grandchild:own", Misdeed("grandchild", "own", "join", 1)),
]


@pytest.mark.parametrize(("spec", "misdeed"), SPECS)
def test_a_specification_is_read(spec, misdeed):
    assert parse(spec) == misdeed


WRONG = ["", "explode", "late", "late:soon", "contradict", "contradict:all", "stuck:never"]
WRONG += ["hang:1", "die@act=0", "die@turn=1", "die@act", "grandchild:other"]


@pytest.mark.parametrize("spec", WRONG)
def test_a_wrong_specification_is_an_error_that_says_so(spec):
    with pytest.raises(ValueError, match=r"\w"):
        parse(spec)


def test_an_instruction_comes_due_once_at_its_nth_call():
    mischief = Mischief([parse("die@act=2"), parse("late:1@any=1"), parse("die@act=2")])
    kinds = [
        [misdeed.kind for misdeed in mischief.due(tool)]
        for tool in ("observe", "act", "act", "act")
    ]
    assert kinds == [["late"], [], ["die", "die"], []]


@pytest.mark.parametrize("how", ["verified", "refuted", "empty", "time"])
def test_contradicting_evidence_contradicts_itself(bench, how):
    told = distorted(bench.do("a", "chat", text="hello"), parse(f"contradict:{how}"))
    evidence = told.evidence
    agreeing = [check.agrees for check in evidence.checks]
    holds = all(agreeing) == isinstance(evidence, Verified)
    in_time = told.requested_at <= evidence.observed_at <= told.updated_at
    assert not (holds and in_time and agreeing)


def test_distorted_answers_name_another_action_session_or_generation(bench):
    status = bench.act("a", "chat", text="hello")
    assert distorted(status, parse("other-action")).action_id != "a"
    assert distorted(status, parse("other-session")).session.session_id != "s-1"
    assert distorted(status, parse("other-generation")).session.connection_generation == 2
    assert distorted(status, parse("unproven")).state == "completed"
    assert distorted(status, parse("late:1")) == status
