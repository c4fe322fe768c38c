"""The game's rules, driven frame by frame without a clock or a socket."""

import pytest
from msgspec.structs import replace

from bodies.practice.world.acting import act
from bodies.practice.world.actions import (
    AdvanceDialog,
    Bounds,
    ButtonPress,
    DialogNotOpen,
    EnterText,
    EntryNotPresent,
    ExitUnsupported,
    FrameAdvance,
    Impassable,
    MenuNotOpen,
    NamingScreenNotOpen,
    NoPath,
    OutsideMap,
    OverBudget,
    Refusal,
    ScriptHolding,
    SelectMenuEntry,
    StateUnavailable,
    WalkTo,
)
from bodies.practice.world.atlas import BED_SIDE, LANE, STORE, STUDY, TOWN
from bodies.practice.world.country import Country
from bodies.practice.world.creatures import grown
from bodies.practice.world.places import Spot
from bodies.practice.world.scenes import Walking
from bodies.practice.world.view import view


class Play:
    """A country with one player, and time that passes only with actions."""

    def __init__(self, seed=1):
        self.country = Country(seed)
        self.country.enter("p", None)

    def do(self, action):
        """What came of the action: a refusal, or what was done."""
        under_way = act(self.country, "p", action)
        if isinstance(under_way, Refusal):
            return under_way
        while True:
            try:
                frames = next(under_way)
            except StopIteration as finished:
                return finished.value
            self.country.advance(self.country.frame + frames)

    def seen(self):
        return view(self.country, "p", "firered")

    @property
    def player(self):
        return self.country.player("p")

    def put(self, map_id, x, y, **changes):
        """The player stands somewhere, free to walk."""
        flags = changes.pop("flags", frozenset({"named"}))
        there = replace(self.player, spot=Spot(map_id, x, y), scene=Walking(), name="Ada")
        moved = replace(there, flags=flags, **changes)
        self.country.leave("p")
        self.country.enter("p", moved)

    def wake(self):
        """Through the opening to the first room."""
        self.do(FrameAdvance(240))
        self.do(AdvanceDialog())
        self.do(EnterText("Ada"))
        self.do(SelectMenuEntry("yes"))
        self.do(AdvanceDialog())
        self.do(FrameAdvance(200))


@pytest.fixture
def play():
    return Play()


def test_the_opening_goes_through_boot_dialog_naming_menu_and_cutscene(play):
    modes = [play.seen().scene.mode]
    for action in (
        FrameAdvance(240),
        AdvanceDialog(),
        EnterText("Ada"),
        SelectMenuEntry("yes"),
        AdvanceDialog(),
        FrameAdvance(200),
    ):
        play.do(action)
        modes.append(play.seen().scene.mode)
    assert modes == ["unknown", "dialog", "naming", "menu", "dialog", "cutscene", "overworld"]
    assert play.player.name == "Ada"


def test_an_undecoded_screen_has_no_state_and_no_minimap(play):
    seen = play.seen()
    assert (seen.state, seen.minimap, seen.scene.decoded) == (None, None, False)


def test_text_waits_for_an_advance_only_once_it_is_printed(play):
    play.do(FrameAdvance(181))
    assert play.seen().scene.waiting_for_advance is False
    play.do(FrameAdvance(100))
    assert play.seen().scene.waiting_for_advance is True


def test_the_minimap_shows_the_player_what_blocks_and_where_it_leads(play):
    play.wake()
    minimap = play.seen().minimap
    assert (minimap.top_left.x, minimap.top_left.y) == (7, 7)
    assert minimap.rows[4] == "#....@.....#"
    assert minimap.rows[1] == "#........#D#"
    assert [(exit.at.x, exit.to, exit.walk_to) for exit in minimap.exits] == [
        (17, "hearthside/cottage-1f", "supported")
    ]


def test_walking_onto_stairs_leads_to_the_other_floor(play):
    play.wake()
    walked = play.do(WalkTo(17, 8)).detail
    assert (walked.arrived, walked.warped, walked.steps) == (True, True, walked.planned_steps)
    assert play.player.spot.map_id == "hearthside/cottage-1f"
    assert play.seen().state.field_input_ready is True


def test_a_doormat_is_refused_as_a_target_and_left_by_pressing_south(play):
    play.put(STUDY, 11, 13)
    assert play.do(WalkTo(11, 14)) == ExitUnsupported(Spot(STUDY, 11, 14), TOWN)
    play.do(ButtonPress("down", 16))
    assert play.player.spot.map_id == STUDY
    play.do(ButtonPress("down", 16))
    assert play.player.spot.map_id == TOWN


def test_an_edge_is_crossed_by_walking_over_it(play):
    play.put(TOWN, 16, 7)
    play.do(ButtonPress("up", 16))
    assert play.player.spot == Spot(LANE, 15, 19)
    assert [link.destination for link in play.seen().state.connections] == [TOWN, "stonewick"]


def test_a_ledge_is_hopped_southward_only(play):
    play.put(LANE, 10, 12)
    play.do(ButtonPress("down", 16))
    assert play.player.spot == Spot(LANE, 10, 14)
    play.do(ButtonPress("up", 16))
    assert play.player.spot == Spot(LANE, 10, 14)
    assert isinstance(play.do(WalkTo(10, 13)), Impassable)


def test_a_tap_turns_and_a_longer_press_moves(play):
    play.wake()
    before = play.player.spot
    play.do(ButtonPress("left", 4))
    assert (play.player.spot, play.player.facing) == (before, "west")
    play.do(ButtonPress("left", 4))
    assert play.player.spot == before.toward("west")


def test_a_held_direction_walks_on_until_something_blocks(play):
    play.wake()
    play.do(ButtonPress("left", 96))
    assert play.player.spot.x == 8


REFUSALS = [
    (WalkTo(500, 500), OutsideMap(Bounds(7, 7, 16, 13))),
    (WalkTo(7, 7), Impassable(Spot(STORE, 8, 8))),
    (WalkTo(8, 8), NoPath(Spot(STORE, 8, 11))),
    (FrameAdvance(1801), OverBudget(1801, 1800)),
    (ButtonPress("a", 240, 16), OverBudget(4352, 1800)),
    (AdvanceDialog(), DialogNotOpen()),
    (EnterText("Ada"), NamingScreenNotOpen()),
    (SelectMenuEntry("yes"), MenuNotOpen()),
]


@pytest.mark.parametrize(("action", "refusal"), REFUSALS)
def test_an_action_that_cannot_be_is_refused_with_what_helps(play, action, refusal):
    play.put(STORE, 11, 11)
    before = play.player
    assert play.do(action) == refusal
    assert play.player == before


HELPERS = [WalkTo(8, 8), AdvanceDialog(), EnterText("Ada"), SelectMenuEntry("yes")]


@pytest.mark.parametrize("action", HELPERS)
def test_on_an_undecoded_screen_only_raw_input_works(play, action):
    assert play.do(action) == StateUnavailable()
    assert play.do(ButtonPress("a", 8)).inputs_spent == 1


def test_a_scene_that_has_the_screen_holds_the_field(play):
    play.put(TOWN, 11, 14)
    play.country.show("p", "cutscene")
    assert play.do(WalkTo(12, 14)) == ScriptHolding()
    assert play.do(AdvanceDialog()) == ScriptHolding()
    play.country.show("p", "dialog")
    assert play.do(WalkTo(12, 14)) == ScriptHolding()


def test_a_name_that_needs_too_many_presses_is_over_budget(play):
    play.country.show("p", "naming")
    refusal = play.do(EnterText("AfAfAfAfAf"))
    assert isinstance(refusal, OverBudget)
    assert refusal.allowed == 64


def test_a_missing_entry_is_told_which_there_are(play):
    play.country.show("p", "menu")
    refusal = play.do(SelectMenuEntry("sell"))
    assert isinstance(refusal, EntryNotPresent)
    assert [entry.id for entry in refusal.available] == ["companions", "bag", "back"]


def test_the_shop_sells_two_things_of_one_name_by_their_ids(play):
    play.put(STORE, 9, 11, facing="north")
    play.do(ButtonPress("a", 8))
    assert play.do(AdvanceDialog()).detail.ended_because == "choice_open"
    play.do(SelectMenuEntry("buy"))
    labels = [entry.label for entry in play.seen().state.menu.entries]
    assert labels == ["Salve", "Salve", "Back"]
    chosen = play.do(SelectMenuEntry("salve-large")).detail
    assert (chosen.menu_id, chosen.entry_id, chosen.label) == ("shop-buy", "salve-large", "Salve")
    play.do(SelectMenuEntry("yes"))
    assert play.player.bag == ("salve-large",)


def test_a_person_is_spoken_to_and_turns_around(play):
    play.put(TOWN, 18, 10, facing="north", flags=frozenset({"named", "greeted"}))
    play.do(ButtonPress("a", 8))
    tansy = play.country.people_on(TOWN)[2]
    assert play.seen().state.dialog_lines[0] == "Heron Lane lies north of here."
    assert tansy.facing == "south"


def test_a_sign_is_read(play):
    play.put(TOWN, 16, 16, facing="north")
    play.do(ButtonPress("a", 8))
    assert play.do(AdvanceDialog()).detail.transcript == (
        "HEARTHSIDE\nWhere the kettle is always on.",
    )


def test_somebody_who_starts_to_speak_ends_a_walk(play):
    play.put(TOWN, 16, 14)
    walked = play.do(WalkTo(16, 7)).detail
    assert (walked.arrived, walked.blocked_because) == (False, "state_changed")
    assert play.seen().scene.mode == "dialog"


def test_a_scene_that_takes_over_ends_a_walk_as_a_transition(play):
    play.put(LANE, 15, 19)
    walked = play.do(WalkTo(15, 17)).detail
    assert (walked.blocked_because, walked.blocked_at) == ("transition", Spot(LANE, 15, 18))
    play.do(FrameAdvance(200))
    play.do(AdvanceDialog())
    assert play.player.spot.map_id == TOWN


def test_somebody_who_stands_in_the_only_way_ends_a_walk(play):
    room = "hearthside/cottage-2f"
    play.put(room, 14, 11)
    started = act(play.country, "p", WalkTo(17, 9))
    frames = next(started)
    play.country.enter("q", replace(play.player, player_id="q", spot=Spot(room, 17, 10)))
    done = None
    while done is None:
        play.country.advance(play.country.frame + frames)
        try:
            frames = next(started)
        except StopIteration as finished:
            done = finished.value
    assert (done.detail.blocked_because, done.detail.arrived) == ("npc", False)
    assert done.detail.blocked_at == Spot(room, 17, 10)


def test_tall_grass_leads_to_battles_and_battles_end(play):
    play.put(LANE, 15, 17, party=(grown(101, 9),), flags=frozenset({"named", "companion"}))
    walked = play.do(WalkTo(12, 16))
    turns = 0
    while walked.detail.blocked_because != "battle":
        turns += 1
        assert turns < 100
        walked = play.do(WalkTo(11 + turns % 6, 16 + turns % 2))
    assert play.do(AdvanceDialog()).detail.ended_because == "choice_open"
    commands = [entry.id for entry in play.seen().state.menu.entries]
    assert commands == ["fight", "bag", "run"]
    ended = "choice_open"
    while ended == "choice_open":
        play.do(SelectMenuEntry("fight"))
        play.do(SelectMenuEntry("move-1"))
        ended = play.do(AdvanceDialog()).detail.ended_because
    assert ended == "battle_ended"
    assert play.player.coins > 300


def test_a_lost_battle_ends_at_home_with_everybody_healed(play):
    play.put(LANE, 15, 17, party=(replace(grown(101, 2), hp=1),))
    play.country.show("p", "battle")
    play.do(AdvanceDialog())
    turns = 0
    while play.player.spot != BED_SIDE:
        turns += 1
        assert turns < 50
        play.do(SelectMenuEntry("fight"))
        play.do(SelectMenuEntry("move-1"))
        play.do(AdvanceDialog())
        if isinstance(play.player.scene, Walking):
            play.country.show("p", "battle")
            play.do(AdvanceDialog())
    assert play.player.party[0].hp == play.player.party[0].max_hp


def test_people_wander_within_their_range_whether_or_not_anybody_acts(play):
    people = play.country.people_on(TOWN)
    spots = set()
    for _ in range(60):
        play.country.advance(play.country.frame + 300)
        for person in play.country.people_on(TOWN):
            home = person.resident.home
            away = max(abs(person.spot.x - home.x), abs(person.spot.y - home.y))
            assert away <= person.resident.roams
            spots.add((person.resident.local_id, person.spot))
    assert len(spots) > len(people)


def test_the_same_seed_and_actions_play_the_same():
    pair = [Play(seed=7), Play(seed=7)]
    for one in pair:
        one.wake()
        one.do(WalkTo(17, 8))
        one.do(FrameAdvance(900))
    assert pair[0].player == pair[1].player
    assert pair[0].seen() == pair[1].seen()
