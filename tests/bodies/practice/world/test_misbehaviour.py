"""The grammar of `--misbehave`, and when an instruction comes due."""

import pytest

from bodies.practice.world.misbehaviour import Mischief, Misdeed, parse

SPECS = [
    ("drop-after", Misdeed("drop-after", "", "act", 1)),
    ("drop-before@act=5", Misdeed("drop-before", "", "act", 5)),
    ("close:1012@observe=2", Misdeed("close", "1012", "observe", 2)),
    ("refuse:rate_limited/250@any=1", Misdeed("refuse", "rate_limited/250", "any", 1)),
    ("slow:70", Misdeed("slow", "70", "act", 1)),
    ("stall:0.5@frame=3", Misdeed("stall", "0.5", "frame", 3)),
    ("flip", Misdeed("flip", "", "act", 1)),
    ("flip:menu@observe=1", Misdeed("flip", "menu", "observe", 1)),
    ("withhold:world.act", Misdeed("withhold", "world.act", "join", 1)),
]


@pytest.mark.parametrize(("spec", "misdeed"), SPECS)
def test_a_specification_is_read(spec, misdeed):
    assert parse(spec) == misdeed


WRONG = [
    "",
    "explode",
    "close",
    "close:999",
    "drop-after:now",
    "slow:-1",
    "slow:long",
    "refuse:teapot",
    "flip:moon",
    "drop-after@act=0",
    "drop-after@turn=1",
    "drop-after@act",
    "withhold:act",
]


@pytest.mark.parametrize("spec", WRONG)
def test_a_wrong_specification_is_an_error_that_says_so(spec):
    with pytest.raises(ValueError, match=r"\w"):
        parse(spec)


def test_an_instruction_comes_due_once_at_its_nth_operation():
    mischief = Mischief([parse("end@act=2"), parse("late:1@any=1")])
    kinds = [
        [misdeed.kind for misdeed in mischief.due(operation)]
        for operation in ("play.observe", "play.act", "play.act", "play.act")
    ]
    assert kinds == [["late"], [], ["end"], []]
    assert len(mischief) == 0
