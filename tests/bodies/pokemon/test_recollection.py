"""What the signals say over turns (K19, K22), with states, effects and decisions as given."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from bodies.pokemon import wire
from bodies.pokemon.actions import described, payload
from bodies.pokemon.effects import happened
from bodies.pokemon.recollection import Recollection
from bodies.pokemon.results import Done, PokemonTurn
from kernel.body import Decision, Settled, Speech, Timing, TurnFacts

A, B, RIGHT = (wire.ButtonPress(button, 16) for button in ("a", "b", "right"))
Took = Callable[..., PokemonTurn]


@pytest.fixture
def memory() -> Recollection:
    return Recollection()


@pytest.fixture
def took(sighted: Any, ran: Any) -> Took:
    """A finished turn: what it showed, did and led to."""

    def build(
        shown: dict[str, Any],
        action: wire.Action | None = A,
        after: dict[str, Any] | None = None,
        *,
        outcome: wire.Outcome | None = None,
        objective: Any = UNSET,
        notes: str | None = None,
        remembered: bool = False,
    ) -> PokemonTurn:
        sight = sighted(**shown)
        if action is None:
            return facts(sight, "mind_failed")
        seen = sighted(**(shown if after is None else after))
        done = Done(action, outcome or ran(), "", remembered=remembered)
        rejected = isinstance(done.outcome, wire.Rejected)
        word = "rejected_by_adapter" if rejected else "accepted"
        effect = happened(done, sight.native, seen.native)
        decision = Decision(
            "m", "i", notes, objective, None, None, action, described(action), payload(action)
        )
        settled = Settled(word, rejected, msgspec.Raw(b"{}"), done)
        return facts(sight, word, after=seen, decision=decision, settled=settled, effect=effect)

    return build


def facts(sight: Any, outcome: str, **given: Any) -> PokemonTurn:
    stages: dict[str, Any] = {"after": None, "decision": None, "settled": None, "effect": None}
    return TurnFacts(
        number=0,
        outcome=outcome,
        shown=sight,
        before=None,
        failure=None,
        heard=(),
        speech=Speech(),
        calls=(),
        preemptions=0,
        timing=Timing(),
        window=0,
        **(stages | given),
    )


def test_a_new_tile_is_missed_from_the_twelfth_turn_and_only_with_a_position(
    memory: Recollection, took: Took, see: Any
):
    memory.fold(took({}))
    for _ in range(11):
        memory.fold(took({}))
    assert memory.signals(see(), None).stalled_for_turns is None

    memory.fold(took({}))
    assert memory.signals(see(), None).stalled_for_turns == 12
    assert memory.signals(see("battle"), None).stalled_for_turns is None


def test_the_same_effect_is_told_from_three_turns(memory: Recollection, took: Took, see: Any):
    told = []
    for action in (A, B, wire.FrameAdvance(1), wire.FrameAdvance(3)):
        memory.fold(took({}, action))
        told.append(memory.signals(see(), None).repeating_for_turns)

    assert told == [None, None, 3, 4]


def test_a_turn_without_an_action_neither_repeats_nor_breaks_the_row(
    memory: Recollection, took: Took, see: Any
):
    for turn in (took({}), took({}, None), took({}), took({})):
        memory.fold(turn)

    assert memory.signals(see(), None).repeating_for_turns == 3


def test_states_recur_from_six_with_at_least_half_of_them_revisits(
    memory: Recollection, took: Took, see: Any
):
    told = []
    for x in (1, 2, 3, 1, 2, 3):
        told.append(memory.signals(see(at=(x, 1)), None).recurring_for_turns)
        memory.fold(took({"at": (x, 1)}))

    assert told == [None, None, None, None, None, 6]
    assert memory.signals(see(at=(5, 1)), None).recurring_for_turns is None


def test_the_map_and_the_objective_are_told_from_twelve(memory: Recollection, took: Took, see: Any):
    memory.fold(took({}, objective="the ferry"))
    for x in range(11):
        memory.fold(took({"at": (x, 1)} if x != 5 else {"mode": "battle"}))
    signals = memory.signals(see(), None)

    assert (signals.objective_for_turns, signals.locale_for_turns) == (12, 12)
    assert memory.signals(see(map_id="ferry"), None).locale_for_turns is None


def test_a_wall_is_told_on_its_tile_until_it_gives_way(memory: Recollection, took: Took, see: Any):
    east = {"facing": "east"}
    memory.fold(took(east, RIGHT))
    assert memory.signals(see(), None).refused_here == ("right",)
    assert memory.signals(see(at=(1, 1)), None).refused_here == ()

    memory.fold(took(east, RIGHT, {**east, "at": (4, 2)}))
    assert memory.signals(see(), None).refused_here == ()


def test_a_talk_is_told_where_it_happened_while_the_person_is_there(
    memory: Recollection, took: Took, see: Any
):
    npc = wire.Npc(7, 23, 3, 3)
    box = {"mode": "dialog", "lines": ("Ahoy!", "Fair winds.")}
    for _ in range(2):
        memory.fold(took({"npcs": (npc,)}, A, {**box, "npcs": (npc,)}))

    told = ('A facing localId 7 at (3,3) opened "Ahoy! / Fair winds." (2 times)',)
    assert memory.signals(see(npcs=(npc,)), None).verified_interactions == told
    assert memory.signals(see(npcs=()), None).verified_interactions == ()
    assert memory.signals(see(map_id="ferry"), None).verified_interactions == ()


def test_text_that_went_on_is_no_new_talk(memory: Recollection, took: Took, see: Any):
    memory.fold(took({"lines": ("Ahoy!",)}, A, {"lines": ("Bye!",)}))

    assert memory.signals(see(), None).verified_interactions == ()


def test_ways_of_its_own_are_told_this_tiles_first_and_at_most_32(
    memory: Recollection, took: Took, see: Any
):
    for x in range(40):
        memory.fold(took({"at": (x, 1)}, RIGHT, {"map_id": "ferry", "at": (x, 9)}))
    ways = memory.signals(see(at=(20, 1)), None).known_transitions

    assert len(ways) == 32
    assert ways[0] == ("from harbor-town (20,1): press RIGHT (16 frames) led to ferry (20,9)")
    assert ways[1].startswith("from harbor-town (8,1)")


def test_a_refusal_is_counted_once_and_not_again_when_it_came_from_memory(
    memory: Recollection, took: Took, see: Any
):
    held = wire.Rejected(wire.ActionRefusal("script_holding"))
    for remembered in (False, True, True, False):
        memory.fold(took({}, outcome=held, remembered=remembered))
    assert memory.signals(see(), None).known_hard_failures == ()

    memory.fold(took({}, outcome=held))
    assert memory.signals(see(), None).known_hard_failures == (
        "press A (16 frames): script_holding",
    )


def test_stuck_is_told_at_the_twelfth_same_effect_and_only_with_a_position(took: Took):
    """K22."""
    placed, unplaced = Recollection(), Recollection()
    for turn in range(1, 14):
        placed.fold(took({}))
        unplaced.fold(took({"mode": "battle"}))
        assert placed.notables(took({})) == (("stuck",) if turn == 12 else ())
        assert unplaced.notables(took({"mode": "battle"})) == ()


def test_stuck_without_a_position_is_told_at_the_first_turn_that_has_one(took: Took):
    """K22."""
    memory = Recollection()
    told: list[int] = []
    for turn in range(1, 16):
        shown = took({"mode": "battle"} if turn in (12, 13) else {})
        memory.fold(took({}))
        if memory.notables(shown):
            told.append(turn)
    assert told == [14]


def test_stuck_is_told_at_the_twelfth_turn_of_a_full_recurring_window(took: Took):
    """K22: with effects that differ, by walking in a circle."""
    memory = Recollection()
    told = []
    for turn in range(30):
        shown, after = {"at": (turn % 3, 1)}, {"at": ((turn + 1) % 3, 1)}
        walked = took(shown, RIGHT, after)
        memory.fold(walked)
        if memory.notables(walked):
            told.append(turn)

    assert told == [22]


def test_a_battle_in_between_starts_that_count_again(took: Took):
    memory = Recollection()
    told = 0
    for turn in range(60):
        shown = {"mode": "battle"} if turn % 10 == 9 else {"at": (turn % 3, 1)}
        walked = took(shown, RIGHT, {"at": ((turn + 1) % 3, 1)})
        memory.fold(walked)
        told += len(memory.notables(walked))

    assert told == 0


def test_the_second_retired_objective_is_told(took: Took):
    """K32."""
    memory = Recollection()
    told: list[tuple[str, ...]] = []
    for turn in range(60):
        walked = took({"at": (turn % 3, 1 + turn // 30)}, RIGHT, {}, objective="the ferry")
        memory.fold(walked)
        told.append(memory.notables(walked))

    assert memory.objective.retirements == 2
    assert sum("objective_retired_twice" in kinds for kinds in told) == 1


def test_notes_are_kept_by_null_and_by_a_turn_without_a_decision(
    memory: Recollection, took: Took, see: Any
):
    memory.fold(took({}, notes="the key is in the well"))
    memory.fold(took({}, notes=None))
    memory.fold(took({}, None))

    assert memory.signals(see(), None).previous_notes == "the key is in the well"


def test_a_new_session_starts_from_what_the_journey_remembers(memory: Recollection, see: Any):
    """K17."""
    memory.recall("the key is in the well", "the ferry")
    signals = memory.signals(see(), 4)

    assert signals.previous_notes == "the key is in the well"
    assert signals.previous_objective == "the ferry"
    assert signals.turns_since_spoken == 4


def test_the_longest_runs_are_kept_for_the_summary(memory: Recollection, took: Took):
    for _ in range(7):
        memory.fold(took({}))
    memory.fold(took({}, RIGHT, {"at": (4, 2)}))

    assert memory.longest_unchanged_run == 7
    assert memory.longest_recurring_run == 3
