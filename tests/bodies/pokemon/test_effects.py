"""Effects are read from typed evidence; what counts as the same is a value, never a text."""

from itertools import pairwise
from typing import Any

import pytest

from bodies.pokemon import wire
from bodies.pokemon.effects import Happening, happened
from bodies.pokemon.results import Done

UP, A, B = (wire.ButtonPress(button, 16) for button in ("up", "a", "b"))
WALL_UP = wire.MapPoint("harbor-town", 3, 1)
MENU = wire.Menu("shop", 0, (wire.MenuEntry("buy", "Buy"), wire.MenuEntry("sell", "Sell")))


def walk_detail(**fields: Any) -> wire.WalkToDetail:
    given = {"planned_steps": 4, "steps": 2, "arrived": False, "blocked_at": None, "warped": False}
    return wire.WalkToDetail(wire.MapPoint("harbor-town", 1, 1), **(given | fields))


def refused(reason: str, **carried: Any) -> Done:
    return Done(A, wire.Rejected(wire.ActionRefusal(reason, **carried)), "")


@pytest.fixture
def effect(see: Any, ran: Any):
    """The effect of an action between two screens."""

    def build(
        action: wire.Action,
        before: dict[str, Any],
        after: dict[str, Any] | None,
        *,
        detail: wire.ActionDetail | None = None,
        screen_changed: bool = True,
    ) -> Happening:
        outcome = ran(detail=detail, screen_changed=screen_changed)
        seen = see(**after) if after is not None else None
        return happened(Done(action, outcome, ""), see(**before), seen)

    return build


BUTTONS: list[tuple[str, wire.Action, dict[str, Any], dict[str, Any], str, bool]] = [
    ("a step", UP, {}, {"at": (3, 1)}, "moved", True),
    ("another map", UP, {}, {"map_id": "ferry"}, "entered", True),
    ("another body", UP, {}, {"generation": 2}, "replaced", True),
    ("a turn to face", UP, {"facing": "east"}, {"facing": "north"}, "turned", False),
    ("a wall", UP, {"facing": "north"}, {"facing": "north"}, "wall", False),
    ("a press too early", UP, {"facing": "north", "input_ready": False}, {"facing": "north"},
     "unchanged", False),
    ("a press without effect", A, {}, {}, "unchanged", False),
    ("a box that opens", A, {}, {"mode": "dialog", "lines": ("Ahoy!",)}, "box", True),
    ("a box that goes on", A, {"lines": ("Ahoy!",)}, {"lines": ("Bye!",)}, "box", True),
    ("a box that stays", A, {"lines": ("Ahoy!",)}, {"lines": ("Ahoy!",)}, "stayed", False),
    ("a box that closes", B, {"lines": ("Ahoy!",)}, {}, "box", True),
    ("a menu that opens", A, {}, {"mode": "menu", "menu": MENU}, "menu", True),
    ("a battle that begins", UP, {}, {"mode": "battle"}, "scene", True),
    ("a place that appears", A, {"mode": "cutscene"}, {}, "scene", True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("action", "before", "after", "what", "stands"),
    [case[1:] for case in BUTTONS],
    ids=[case[0] for case in BUTTONS],
)
def test_a_press_is_told_by_what_it_changed(
    effect: Any,
    action: wire.Action,
    before: dict[str, Any],
    after: dict[str, Any],
    what: str,
    stands: bool,
):
    seen = effect(action, before, after)

    assert (seen.what, seen.stands) == (what, stands)
    assert seen.unchanged == (what in ("wall", "unchanged", "stayed"))


def test_a_box_that_stays_is_the_same_effect_as_its_opening(effect: Any):
    box = {"mode": "dialog", "lines": ("Ahoy!",)}

    assert effect(A, {}, box).same == effect(A, box, box).same


def test_undecoded_screens_are_compared_by_their_pictures(effect: Any, png: Any):
    one = {"mode": "battle", "png": png("one")}
    other = {"mode": "battle", "png": png("other")}

    assert effect(A, one, other).what == "screen"
    assert effect(A, one, one).what == "unchanged"


@pytest.mark.parametrize(("screen_changed", "what"), [(True, "screen"), (False, "unchanged")])
def test_without_pictures_the_world_says_whether_the_screen_changed(
    effect: Any, screen_changed: bool, what: str
):
    battle = {"mode": "battle"}

    assert effect(A, battle, battle, screen_changed=screen_changed).what == what


@pytest.mark.parametrize(
    ("detail", "after", "what", "text"),
    [
        (walk_detail(arrived=True, steps=4), {"at": (1, 1)}, "moved", "walked 4 steps to (1,1)"),
        (
            walk_detail(arrived=True, warped=True),
            {"map_id": "ferry", "at": (5, 6)},
            "entered",
            "walked 2 steps onto an exit: entered ferry at (5,6)",
        ),
        (
            walk_detail(blocked_at=WALL_UP, blocked_because="npc"),
            {},
            "stopped",
            "walked 2 of 4 steps, then somebody stands at (3,1)",
        ),
        (
            walk_detail(blocked_at=WALL_UP, blocked_because="battle"),
            {"mode": "battle"},
            "stopped",
            "walked 2 of 4 steps, then a battle began at (3,1)",
        ),
        (
            walk_detail(blocked_at=WALL_UP, blocked_because="a newer word"),
            {},
            "stopped",
            "walked 2 of 4 steps, then it was stopped at (3,1)",
        ),
        (
            wire.AdvanceDialogDetail(("Ahoy!\nWelcome.", "Bye!"), 2, "choice_open"),
            {},
            "read",
            'read "Ahoy! Welcome. / Bye!"; a choice waits',
        ),
        (wire.AdvanceDialogDetail((), 0, "script_holding"), {}, "unchanged", "nothing changed"),
        (wire.EnterTextDetail("ROSE", True, "confirmed"), {}, "named", 'wrote "ROSE", confirmed'),
        (
            wire.SelectMenuEntryDetail("shop", "buy", "Buy", True, 1, "selected"),
            {},
            "chose",
            'chose "Buy"',
        ),
    ],
)
def test_a_composite_action_is_told_by_its_detail(
    effect: Any, detail: Any, after: dict[str, Any], what: str, text: str
):
    seen = effect(wire.WalkTo(1, 1), {}, after, detail=detail)

    assert (seen.what, seen.text) == (what, text)


def test_a_walk_to_where_the_player_stands_changes_nothing(effect: Any):
    nowhere = walk_detail(planned_steps=0, steps=0, arrived=True)

    assert effect(wire.WalkTo(3, 2), {}, {}, detail=nowhere).what == "unchanged"


@pytest.mark.parametrize(
    ("frames", "advice"),
    [(8, "hold the direction for 16 frames to walk"), (16, "the tile ahead may be blocked")],
)
def test_a_turn_to_face_tells_how_a_step_comes_about(effect: Any, frames: int, advice: str):
    turned = effect(wire.ButtonPress("up", frames), {"facing": "east"}, {"facing": "north"})

    assert turned.advice == advice


def test_an_action_whose_screen_was_not_seen_is_told_as_that(effect: Any):
    assert effect(A, {}, None).what == "unseen"


@pytest.mark.parametrize(
    ("done", "advice"),
    [
        (refused("budget", asked=3000, allowed=1800), "3000 asked, 1800 allowed"),
        (refused("walk_target_outside_map", bounds={"width": 9}), '{"width":9}'),
        (refused("walk_target_impassable", nearest_open=wire.MapPoint("m", 7, 8)), "(7,8)"),
        (refused("walk_target_impassable", nearest_open=None), "cannot be walked on"),
        (refused("no_path_to_target", nearest_reachable=wire.MapPoint("m", 7, 8)), "(7,8)"),
        (refused("walk_exit_unsupported", at=wire.MapPoint("m", 7, 8), to="ferry"), "to ferry"),
        (
            refused("menu_entry_not_present", available=(wire.MenuEntry("buy", "Go"), "sell")),
            'buy ("Go"), sell',
        ),
        (refused("dialog_not_open"), "no text is open"),
    ],
)
def test_what_a_refusal_carries_reaches_the_model(see: Any, done: Done, advice: str):
    effect = happened(done, see(), None)

    assert effect.what == "refused"
    assert not effect.stands
    assert advice in (effect.advice or "")


def test_texts_keep_their_bounds(effect: Any, see: Any):
    long = wire.AdvanceDialogDetail(("x" * 900,), 1, "y" * 150)
    many = tuple(wire.MenuEntry(f"entry-{n}", "label") for n in range(100))
    refusal = happened(refused("menu_entry_not_present", available=many), see(), None)

    assert len(effect(A, {}, {}, detail=long).text) <= 200
    assert len(effect(A, {}, {"lines": ("z" * 900,)}).text) <= 200
    assert len(refusal.advice or "") == 300


def same(effects: list[Happening]) -> bool:
    return len({effect.same for effect in effects}) == 1


def test_the_same_wall_refused_again_is_the_same_effect(see: Any):
    """Case 25: whatever the prose and whatever tile was asked for."""
    nearest = wire.MapPoint("harbor-town", 2, 2)
    walks = [
        Done(
            wire.WalkTo(x, 2),
            wire.Rejected(wire.ActionRefusal("walk_target_impassable", nearest_open=nearest)),
            "",
        )
        for x in (1, 1, 2)
    ]

    assert same([happened(done, see(), None) for done in walks])


def test_walks_of_different_lengths_into_the_same_person_are_the_same_effect(effect: Any):
    details = [
        walk_detail(steps=0, planned_steps=n, blocked_at=WALL_UP, blocked_because="npc")
        for n in (1, 3, 9)
    ]

    assert same([effect(wire.WalkTo(3, n), {}, {}, detail=d) for n, d in enumerate(details)])


def test_a_and_b_alternating_on_one_box_are_the_same_effect(effect: Any):
    """Case 25, whether the box stays or opens and closes."""
    box = {"mode": "dialog", "lines": ("Ahoy!",)}

    stays = [effect(action, box, box) for action in (A, B, A, B)]
    opens_and_closes = [effect(A, {}, box), effect(B, box, {}), effect(A, {}, box)]

    assert same(stays + opens_and_closes)


def test_waits_of_different_lengths_are_the_same_effect(effect: Any):
    """Case 25, though bystanders walk and the picture moves."""
    waits = [
        effect(
            wire.FrameAdvance(frames),
            {"npcs": (wire.Npc(1, 1, frames, 1),)},
            {"npcs": (wire.Npc(1, 1, frames + 1, 1),), "frame": 100 + frames},
            screen_changed=frames > 1,
        )
        for frames in (1, 2, 1, 3)
    ]

    assert same(waits)


def test_twelve_different_dialogs_are_twelve_effects(effect: Any, png: Any):
    """Case 25, by pressing, by reading on, and where only pictures tell them apart."""
    lines = [(f"Line {n}.",) for n in range(13)]
    pressed = [effect(A, {"lines": was}, {"lines": now}) for was, now in pairwise(lines)]
    read = [
        effect(A, {}, {}, detail=wire.AdvanceDialogDetail(line, 1, "dialog_closed"))
        for line in lines[1:]
    ]
    pictures = [
        effect(
            A, {"mode": "cutscene", "png": png(str(n))}, {"mode": "cutscene", "png": png(f"{n}+")}
        )
        for n in range(12)
    ]

    for effects in (pressed, read, pictures):
        assert len({seen.same for seen in effects}) == 12


def test_a_wall_on_another_tile_is_another_effect(effect: Any):
    north = {"facing": "north"}
    here = effect(UP, north, north)
    there = effect(UP, {**north, "at": (2, 2)}, {**north, "at": (2, 2)})

    assert here.what == there.what == "wall"
    assert here.same != there.same
