"""The grammar of instructions, and when each comes due."""

import re

import pytest

from bodies.practice.model import misbehaviour
from bodies.practice.model.misbehaviour import KINDS, Mischief, Misdeed, parse

GRAMMAR = [
    ("split", Misdeed("split")),
    ("stall:3", Misdeed("stall", "3")),
    ("status:429/7.5@chat=3", Misdeed("status", "429/7.5", "chat", 3)),
    ("cut:after-end@any=2+", Misdeed("cut", "after-end", "any", 2, onward=True)),
    ("status:500@models=1", Misdeed("status", "500", "models")),
]


@pytest.mark.parametrize(("spec", "misdeed"), GRAMMAR)
def test_an_instruction_names_what_goes_wrong_and_when(spec, misdeed):
    assert parse(spec) == misdeed


WRONG = [
    ("explode", "is not one of"),
    ("stall", "takes"),
    ("stall:soon", "takes"),
    ("split:3", "no argument"),
    ("status:200", "takes"),
    ("cut:nowhere", "takes"),
    ("split@chat=0", "from 1"),
    ("split@act=1", "one of chat"),
    ("split@chat", "is not kind"),
    ("", "is not kind"),
]


@pytest.mark.parametrize(("spec", "words"), WRONG)
def test_a_wrong_instruction_is_told(spec, words):
    with pytest.raises(ValueError, match=words):
        parse(spec)


def test_each_instruction_comes_due_once_at_its_request_unless_it_goes_on():
    mischief = Mischief(parse(s) for s in ("empty@chat=2", "split@chat=3+", "late:1@models=1"))
    due = [
        [str(misdeed) for misdeed in mischief.due(subject).misdeeds]
        for subject in ("chat", "chat", "models", "chat", "models", "chat")
    ]
    assert due == [[], ["empty"], ["late:1"], ["split"], [], ["split"]]


def test_the_documentation_names_every_kind():
    documented = re.findall(r"^    ([a-z-]+)", misbehaviour.__doc__ or "", re.MULTILINE)
    assert documented == list(KINDS)
