"""The world: its days, its neighbour, what hurts, and what can be seen of it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from bodies.practice.motor import neighbour
from bodies.practice.motor.bot import Bot, lived
from bodies.practice.motor.events import CAPACITY
from bodies.practice.motor.land import Land, plan, standing_place
from bodies.practice.motor.materials import digging_ticks, falling_from
from bodies.practice.motor.motor import advanced, with_event
from bodies.practice.motor.terrain import Spot
from bodies.practice.motor.wire import BlockFact, ChatFact, HealthFact, InventoryFact, PositionFact


@settings(deadline=None)
@given(st.integers(0, 50), st.integers(-90, 90), st.integers(-90, 90))
def test_there_is_ground_under_every_place_to_stand(seed, x, z):
    land = Land(seed)
    assert land.can_stand(standing_place(land, x, z))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 20), st.integers(-12, 12), st.integers(-12, 12))
def test_a_way_climbs_one_block_at_most_and_drops_three(seed, x, z):
    land = Land(seed)
    start, end = standing_place(land, 0, 0), standing_place(land, x, z)
    way = plan(land, start, end, lambda spot: spot == end) or ()
    for here, there in zip((start, *way), way, strict=False):
        assert abs(here.x - there.x) + abs(here.z - there.z) == 1
        assert -3 <= there.y - here.y <= 1
        assert land.can_stand(there)


def test_trees_ore_water_and_hills_are_within_a_walk():
    land = Land(0)
    found = {
        land.block(Spot(x, y, z))
        for x in range(-24, 25)
        for z in range(-24, 25)
        for y in range(58, 70)
    }
    assert found >= {"oak_log", "oak_leaves", "coal_ore", "iron_ore", "water", "sand", "dirt"}


def test_the_same_seed_is_the_same_day(fresh):
    fresh.join()
    other = fresh.motor
    fresh.wait(3000)
    assert advanced(other, fresh.motor.world.tick) == fresh.motor


def test_time_is_the_same_in_one_step_or_in_many(bench):
    bench.act("far", "goto", position={"x": 9, "y": 67, "z": 9}, tolerance=3)
    at_once = advanced(bench.motor, bench.motor.world.tick + 400)
    bench.motor = advanced(bench.motor, bench.motor.world.tick - 1)
    for _ in range(100):
        bench.wait(4)
    assert bench.motor == at_once


def test_nights_in_the_open_hurt_and_can_kill(bench):
    bench.motor = advanced(bench.motor, 2590)
    assert bench.ask("poll_events", afterSequence=0, limit=64).events[-1].type != "damage"
    assert bench.bot.health == 20
    bench.motor = advanced(bench.motor, 4600)
    kinds = {event.type for event in bench.motor.ring.events}
    assert kinds >= {"damage", "death", "player_leave"}


def test_a_roof_keeps_the_night_out(bench):
    spot = bench.bot.spot
    world = replace(
        bench.motor.world, land=bench.motor.world.land.with_block(spot.moved(0, 2, 0), "dirt")
    )
    bench.motor = advanced(replace(bench.motor, world=world), 4600)
    assert "damage" not in {event.type for event in bench.motor.ring.events}


def test_hunger_weakens_and_does_not_kill():
    bot = Bot("Bot", Spot(0, 67, 0), inventory={})
    for tick in range(1, 20_000):
        bot, _ = lived(bot, 0, tick, in_danger=False)
    assert (bot.health, bot.food) == (1, 0)


def test_somebody_hungry_eats_what_is_at_hand():
    bot = Bot("Bot", Spot(0, 67, 0))
    for tick in range(1, 160 * 7):
        bot, _ = lived(bot, 0, tick, in_danger=False)
    assert bot.inventory == {"bread": 2}


def test_the_neighbour_wanders_talks_leaves_at_night_and_comes_back():
    land = Land(0)
    places = {neighbour.where(land, tick) for tick in range(0, 4800, 40)}
    distances = [place.distance(Spot(0, 67, 0)) for place in places]
    assert min(distances) < 16
    assert max(distances) > 40
    assert any(neighbour.remark(0, tick) for tick in range(4800))
    assert [neighbour.is_online(tick) for tick in (0, 2000, 3000, 4800)] == [
        True,
        True,
        False,
        True,
    ]


def test_the_neighbour_answers_who_speaks_nearby(bench):
    for number in range(4):
        bench.do(f"hello-{number}", "chat", text="Hello, anybody?")
        bench.wait(20)
    answers = [line for line in bench.motor.world.chat if line.player == "Wren"]
    assert any("Bot" in line.text for line in answers)


def test_an_observation_has_at_most_256_facts_of_every_kind_with_their_sources(bench):
    for number in range(3):
        bench.do(f"say-{number}", "chat", text="hello")
    seen = bench.ask("observe")
    kinds = {type(each.fact) for each in seen.facts}
    assert kinds == {PositionFact, BlockFact, InventoryFact, ChatFact, HealthFact}
    assert len(seen.facts) <= 256
    assert {"server_packet", "server_observer", "bot_cache"} <= {fact.source for fact in seen.facts}
    assert all(fact.observed_at <= seen.observed_at for fact in seen.facts)


def test_on_the_way_the_position_is_only_the_adapters_word(bench):
    bench.act("far", "goto", position={"x": 12, "y": 67, "z": 12}, tolerance=3)
    bench.wait(4)
    assert bench.ask("observe").facts[0].source == "adapter_report"


def test_events_come_in_order_and_name_what_was_dropped(bench):
    for number in range(CAPACITY + 10):
        bench.motor = with_event(bench.motor, "chat", {"player": "Wren", "text": str(number)})
    page = bench.ask("poll_events", limit=64)
    assert page.latest_sequence == bench.motor.ring.latest
    assert page.dropped_before_sequence == page.latest_sequence - CAPACITY + 1
    assert page.events[0].sequence == page.dropped_before_sequence
    following = bench.ask("poll_events", afterSequence=page.events[-1].sequence, limit=1)
    assert following.events[0].sequence == page.events[-1].sequence + 1
    assert bench.ask("poll_events", afterSequence=page.latest_sequence, limit=64).events == ()


def test_there_is_no_viewer(bench):
    assert bench.ask("viewer_status").available is False


@pytest.mark.parametrize("item", ["oak_leaves", "stone", "coal_ore"])
def test_bare_hands_get_less_out_of_a_block(item):
    tools = {"wooden_pickaxe": 1}
    if item == "oak_leaves":
        fallen = {falling_from(item, {}, number) for number in range(40)}
        assert fallen == {None, "apple"}
    else:
        assert falling_from(item, {}) is None
        assert falling_from(item, tools) is not None
        assert digging_ticks(item, tools) < digging_ticks(item, {})
