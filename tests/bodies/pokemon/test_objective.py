"""K20: an objective is warned about once and then retired; the slot stays empty in the loop."""

from typing import Any

import pytest
from msgspec import UNSET

from bodies.pokemon.objective import Objective

LOOP = ("hall", "yard")


def kept(objective: Objective, turns: int = 1, **where: Any) -> Objective:
    for _ in range(turns):
        objective = decided(objective, UNSET, **where)
    return objective


def decided(
    objective: Objective,
    wanted: Any,
    mark: str = "hall",
    *,
    recurring: bool = True,
    placed: bool = True,
) -> Objective:
    return objective.decided(wanted, mark, LOOP, recurring=recurring, placed=placed)


FERRY = decided(Objective(), "the ferry")


@pytest.mark.parametrize(
    ("wanted", "text", "turns"),
    [
        (UNSET, "the ferry", 2),
        ("the ferry", "the ferry", 2),
        ("the inn", "the inn", 1),
        (None, None, 0),
    ],
)
def test_a_decision_keeps_sets_or_clears_it(wanted: Any, text: str | None, turns: int):
    after = decided(FERRY, wanted)

    assert (after.text, after.turns) == (text, turns)


def test_twelve_turns_then_a_warning_then_retired():
    stale = kept(FERRY, 11)
    warned = kept(stale)
    retired = kept(warned)

    assert (stale.turns, stale.warned) == (12, False)
    assert (warned.warned, warned.retired, warned.text) == (True, None, "the ferry")
    assert (retired.text, retired.retired, retired.retirements) == (None, "the ferry", 1)


def test_a_repeated_text_keeps_it_like_an_absent_one():
    retired = decided(decided(kept(FERRY, 11), "the ferry"), "the ferry")

    assert retired.retired == "the ferry"


def test_states_that_do_not_recur_neither_warn_nor_retire():
    assert kept(FERRY, 30, recurring=False).text == "the ferry"


def test_a_battle_neither_warns_nor_retires_nor_forgets_the_warning():
    warned = kept(FERRY, 12)
    after_battle = kept(warned, 9, placed=False)

    assert kept(FERRY, 30, placed=False).text == "the ferry"
    assert after_battle.warned
    assert kept(after_battle).retired == "the ferry"


def test_leaving_the_loop_takes_the_warning_back():
    warned = kept(FERRY, 12)
    free = kept(warned, recurring=False)

    assert not free.warned
    assert kept(free).retired is None


def test_the_slot_stays_empty_until_a_state_outside_the_loop():
    retired = kept(FERRY, 13)

    in_loop = decided(retired, "the ferry again", "yard")
    assert (in_loop.text, in_loop.retired) == (None, None)
    assert in_loop.recovering("hall")

    outside = decided(in_loop, "the inn", "harbour")
    assert outside.text == "the inn"
    assert not outside.recovering("hall")


def test_a_turn_without_a_decision_changes_nothing_but_the_news_of_it():
    retired = kept(FERRY, 13)

    assert retired.passed().retired is None
    assert retired.passed().recovering("hall")
    assert FERRY.passed() is FERRY
