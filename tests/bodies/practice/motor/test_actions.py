"""What actions come to, and what proves it."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from bodies.practice.motor.luck import luck_of
from bodies.practice.motor.motor import Declined, advanced
from bodies.practice.motor.terrain import Spot
from bodies.practice.motor.wire import Refuted, Unknown, Verified

PLACES = st.builds(
    lambda x, y, z: {"x": x, "y": y, "z": z},
    st.integers(-14, 14),
    st.integers(64, 70),
    st.integers(-14, 14),
)
ITEMS = st.sampled_from(["dirt", "oak_log", "oak_planks", "stick", "crafting_table"])
ACTIONS = st.one_of(
    st.fixed_dictionaries({"kind": st.just("chat"), "text": st.text(min_size=1, max_size=20)}),
    st.fixed_dictionaries(
        {"kind": st.just("goto"), "position": PLACES, "tolerance": st.integers(0, 5)}
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("follow"),
            "player": st.sampled_from(["Wren", "Nobody"]),
            "distance": st.integers(1, 12),
        }
    ),
    st.fixed_dictionaries({"kind": st.just("dig"), "position": PLACES}),
    st.fixed_dictionaries(
        {"kind": st.just("craft"), "item": ITEMS, "count": st.integers(1, 10**12)}
    ),
    st.fixed_dictionaries({"kind": st.just("place"), "position": PLACES, "item": ITEMS}),
    st.fixed_dictionaries(
        {
            "kind": st.just("build"),
            "placements": st.lists(
                st.fixed_dictionaries({"position": PLACES, "item": ITEMS}), min_size=1, max_size=3
            ),
        }
    ),
)


def _contradiction(status) -> str | None:
    evidence = status.evidence
    if isinstance(evidence, Unknown):
        return None
    if status.state in ("running", "cancel_requested"):
        return "it knows the end of what has not ended"
    agreeing = [check.agrees for check in evidence.checks]
    if not 1 <= len(agreeing) <= 64:
        return "too few or too many checks"
    if all(agreeing) != isinstance(evidence, Verified):
        return "the checks say otherwise"
    if not status.requested_at <= evidence.observed_at <= status.updated_at:
        return "seen at another time"
    return None


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(ACTIONS, st.integers(0, 60)), min_size=1, max_size=5))
def test_evidence_never_contradicts_itself(bench, actions):
    for action, patience in actions:
        number = bench.motor.world.tick
        handle = bench.ask("act", actionId=f"a-{number}", action=action)
        bench.wait(patience)
        asked = bench.ask("cancel_action", actionId=f"a-{number}")
        ended = bench.settle(f"a-{number}")
        bench.wait(1)
        assert handle.state == "running"
        assert [_contradiction(each) for each in (handle, asked, ended)] == [None] * 3


def _errands(bench, count):
    """A mixed life: wandering, digging, crafting, building, talking."""
    kinds = ("goto", "dig", "craft", "place", "chat", "follow")
    for number in range(count):
        spot, kind = bench.bot.spot, kinds[number % len(kinds)]
        beside = {"x": spot.x + 1, "y": spot.y - 1, "z": spot.z}
        far = {"x": (number * 7) % 25 - 12, "y": spot.y, "z": (number * 5) % 25 - 12}
        fields = {
            "goto": {"position": far, "tolerance": 2},
            "dig": {"position": beside},
            "craft": {"item": "stick", "count": 4},
            "place": {"position": beside, "item": "dirt"},
            "chat": {"text": f"errand {number}"},
            "follow": {"player": "Wren", "distance": 4},
        }
        yield bench.do(f"e-{number}", kind, **fields[kind])
        bench.wait(8)


def test_about_half_of_what_is_tried_is_verified_and_the_rest_is_refuted_or_unknown(bench):
    kinds = Counter(type(status.evidence).__name__ for status in _errands(bench, 180))
    assert 0.35 <= kinds["Verified"] / kinds.total() <= 0.65
    assert min(kinds["Refuted"], kinds["Unknown"]) >= 0.1 * kinds.total()


def test_every_reason_why_something_is_unknown_can_be_met(bench):
    reasons = {
        status.evidence.reason
        for status in _errands(bench, 180)
        if isinstance(status.evidence, Unknown)
    }
    assert reasons >= {
        "not_observed",
        "local_report_only",
        "optimistic_cache",
        "stale_observation",
    }


def _lucky(bench, luck):
    """A new action id that will meet this luck at the present tick."""
    seed, tick = bench.motor.world.land.seed, bench.motor.world.tick
    names = (f"{luck}-{tick}-{n}" for n in range(1000))
    return next(name for name in names if luck_of(seed, tick, name) == luck)


def _carrying(motor, inventory):
    bot = replace(motor.world.bot, inventory=inventory)
    return replace(motor, world=replace(motor.world, bot=bot))


def test_a_dug_block_is_gone_and_in_the_hand(bench):
    under = bench.bot.spot.moved(1, -1, 0)
    status = bench.do(_lucky(bench, "kept"), "dig", position=under._asdict())
    assert isinstance(status.evidence, Verified)
    assert bench.motor.world.land.block(under) == "air"
    assert bench.bot.inventory["dirt"] == 1


def test_what_the_server_takes_back_is_refuted(bench):
    under = bench.bot.spot.moved(1, -1, 0)
    status = bench.do(_lucky(bench, "undone"), "dig", position=under._asdict())
    assert isinstance(status.evidence, Refuted)
    assert status.state == "completed"
    assert status.evidence.checks[0].observed == "grass_block"


def test_a_message_that_the_server_withholds_is_refuted(bench):
    status = bench.do(_lucky(bench, "undone"), "chat", text="hello")
    assert [(check.expected, check.observed) for check in status.evidence.checks] == [
        ("hello", "(withheld by the server)")
    ]


def test_wood_becomes_planks_a_table_and_tools_beside_it(bench):
    spot = bench.bot.spot
    bench.motor = _carrying(bench.motor, {"oak_log": 4})
    for item, count in (("oak_planks", 16), ("stick", 4), ("crafting_table", 1)):
        status = bench.do(_lucky(bench, "kept"), "craft", item=item, count=count)
        assert isinstance(status.evidence, Verified), item
    no_table = bench.do(_lucky(bench, "kept"), "craft", item="wooden_pickaxe", count=1)
    assert (no_table.state, type(no_table.evidence)) == ("failed", Refuted)
    beside = spot.moved(1, 0, 0)._asdict()
    bench.do(_lucky(bench, "kept"), "place", position=beside, item="crafting_table")
    made = bench.do(_lucky(bench, "kept"), "craft", item="wooden_pickaxe", count=1)
    assert isinstance(made.evidence, Verified)
    assert dict(bench.bot.inventory) == {"wooden_pickaxe": 1, "stick": 2, "oak_planks": 7}


def test_a_build_stops_at_what_is_missing_and_tells_every_block(bench):
    bench.motor = _carrying(bench.motor, {"dirt": 1})
    spot = bench.bot.spot
    wall = [{"position": spot.moved(1, up, 0)._asdict(), "item": "dirt"} for up in range(2)]
    status = bench.do(_lucky(bench, "kept"), "build", placements=wall)
    assert (status.state, type(status.evidence)) == ("failed", Refuted)
    assert [check.observed for check in status.evidence.checks] == ["dirt", "air"]


def test_a_long_walk_takes_many_seconds_and_can_be_cancelled_on_the_way(bench):
    bench.act("far", "goto", position={"x": 60, "y": 67, "z": 60}, tolerance=8)
    bench.wait(40)
    assert bench.ask("action_status", actionId="far").state == "running"
    assert bench.ask("cancel_action", actionId="far").state == "cancel_requested"
    bench.wait(2)
    ended = bench.ask("action_status", actionId="far")
    assert ended.state == "cancelled"
    assert not isinstance(ended.evidence, Verified)
    assert bench.ask("cancel_action", actionId="far") == ended
    assert bench.bot.spot.distance(Spot(0, 67, 0)) > 5


def test_death_in_mid_action_interrupts_it(bench):
    bench.motor = advanced(bench.motor, 2700)
    seen = []
    while bench.bot.died_at is None:
        action_id = f"stand-{bench.motor.world.tick}"
        bench.act(action_id, "follow", player="Wren", distance=30)
        seen.append(bench.settle(action_id))
        bench.wait(1)
    assert (seen[-1].state, seen[-1].evidence.reason) == ("failed", "interrupted")


def test_the_same_action_id_is_the_same_action_and_no_other(bench):
    first = bench.act("once", "chat", text="hello")
    assert bench.act("once", "chat", text="hello") == first
    with pytest.raises(Declined) as reused:
        bench.act("once", "chat", text="goodbye")
    bench.settle("once")
    said = [line.text for line in bench.motor.world.chat if line.player == "Bot"]
    assert reused.value.code == "action_id_reused"
    assert len(said) <= 1


def test_one_action_at_a_time(bench):
    bench.act("far", "goto", position={"x": 12, "y": 67, "z": 12}, tolerance=3)
    with pytest.raises(Declined) as busy:
        bench.act("more", "chat", text="hello")
    assert busy.value.code == "busy"


WRONG = [
    {"kind": "fly"},
    {"kind": "chat", "text": ""},
    {"kind": "chat", "text": "x" * 257},
    {"kind": "goto", "position": {"x": 1, "y": 2, "z": 3}, "tolerance": 65},
    {"kind": "follow", "player": "Wren", "distance": 0},
    {"kind": "dig", "position": {"x": 1.5, "y": 2, "z": 3}},
    {"kind": "craft", "item": "stick", "count": 0},
    {"kind": "build", "placements": []},
    {"kind": "dig", "position": {"x": 1, "y": 2, "z": 3}, "item": "dirt"},
]


@pytest.mark.parametrize("action", WRONG, ids=str)
def test_an_action_out_of_bounds_is_declined(bench, action):
    with pytest.raises(Declined) as declined:
        bench.ask("act", actionId="a", action=action)
    assert declined.value.code == "invalid_input"
