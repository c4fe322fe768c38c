from typing import Any

import pytest

from bodies.pokemon import wire
from bodies.pokemon.refusals import Refusals

READ_ON = wire.AdvanceDialog()
WALK = wire.WalkTo(3, 4)
EXIT = wire.MinimapExit(wire.MapPoint("harbor-town", 3, 4), "ferry", "unsupported")
UNDECODED = wire.ActionRefusal("semantic_state_unavailable")
HELD = wire.ActionRefusal("script_holding")
NO_EXIT = wire.ActionRefusal(
    "walk_exit_unsupported", at=wire.MapPoint("harbor-town", 3, 4), to="ferry"
)


@pytest.fixture
def refusals() -> Refusals:
    return Refusals()


def test_an_undecoded_screen_refuses_a_helper_once_and_is_remembered(refusals: Any, see: Any):
    """K21, case 26."""
    refusals.note(READ_ON, UNDECODED, see("unknown", decoded=False))

    assert refusals.known(READ_ON, see("unknown", decoded=False, frame=999)) == UNDECODED


def test_another_picture_of_an_undecoded_screen_is_other_evidence(
    refusals: Any, see: Any, png: Any
):
    refusals.note(READ_ON, UNDECODED, see("unknown", decoded=False, png=png("a")))

    assert refusals.known(READ_ON, see("unknown", decoded=False, png=png("b"))) is None


def test_a_button_is_not_remembered_at_once(refusals: Any, see: Any):
    press = wire.ButtonPress("a", 16)
    refusals.note(press, UNDECODED, see())

    assert refusals.known(press, see()) is None


def test_a_listed_exit_that_cannot_be_walked_is_remembered_from_every_tile(refusals: Any, see: Any):
    refusals.note(WALK, NO_EXIT, see(exits=(EXIT,)))

    assert refusals.known(WALK, see(exits=(EXIT,), at=(1, 1))) == NO_EXIT
    assert refusals.known(WALK, see(at=(1, 1))) is None


def test_an_exit_that_is_not_listed_is_remembered_like_any_refusal(refusals: Any, see: Any):
    refusals.note(WALK, NO_EXIT, see())

    assert refusals.known(WALK, see()) is None


def test_any_refusal_is_remembered_at_its_third_time(refusals: Any, see: Any):
    known = []
    for _ in range(3):
        refusals.note(READ_ON, HELD, see())
        known.append(refusals.known(READ_ON, see()))

    assert known == [None, None, HELD]
    assert refusals.known(READ_ON, see(at=(1, 1))) is None
    assert refusals.known(wire.WalkTo(1, 1), see()) is None


def test_another_reason_starts_the_count_again(refusals: Any, see: Any):
    for refusal in (HELD, HELD, wire.ActionRefusal("dialog_not_open"), HELD, HELD):
        refusals.note(READ_ON, refusal, see())

    assert refusals.known(READ_ON, see()) is None


def test_a_refusal_at_an_exit_for_another_reason_stays_with_its_state(refusals: Any, see: Any):
    for _ in range(3):
        refusals.note(WALK, HELD, see(exits=(EXIT,)))

    assert refusals.known(WALK, see(exits=(EXIT,))) == HELD
    assert refusals.known(WALK, see(exits=(EXIT,), at=(1, 1))) is None


def test_a_new_body_forgets_all(refusals: Any, see: Any):
    refusals.note(READ_ON, UNDECODED, see())

    assert refusals.known(READ_ON, see(generation=2)) is None

    refusals.note(WALK, HELD, see(generation=2))
    assert refusals.known(READ_ON, see()) is None


def test_at_most_32_are_remembered_and_the_oldest_goes(refusals: Any, see: Any):
    for y in range(33):
        refusals.note(READ_ON, UNDECODED, see(at=(1, y)))

    assert refusals.known(READ_ON, see(at=(1, 0))) is None
    assert refusals.known(READ_ON, see(at=(1, 1))) == UNDECODED
    assert refusals.known(READ_ON, see(at=(1, 32))) == UNDECODED


def test_what_is_known_here_is_told_to_the_model(refusals: Any, see: Any):
    refusals.note(READ_ON, UNDECODED, see())

    assert refusals.under(see()) == ("read on: semantic_state_unavailable",)
    assert refusals.under(see(at=(1, 1))) == ()
