"""The Pokémon player: from a prompt to a decision that the body accepts."""

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodies.pokemon.decision import decide
from bodies.pokemon.intent_words import RecordedAction, names_action
from bodies.practice.model.players.pokemon.player import play
from kernel.body import Decision, Invalid

ROOM = {
    "x": 7,
    "y": 7,
    "rows": [
        "#######",
        "#.....#",
        "#.@.#.#",
        "#.....#",
        "#..~..D",
        "#######",
    ],
}
HERE = {"mapId": "room", "x": 9, "y": 9, "facing": "south"}
OPEN = {
    "turn": 4,
    "mode": "overworld",
    "inputReady": True,
    "waitingForAdvance": False,
    "decoded": True,
    "position": HERE,
    "mapSize": None,
    "minimap": ROOM,
    "exits": [{"x": 13, "y": 11, "to": "yard", "walkTo": "supported"}],
    "connections": [],
    "npcs": [],
    "party": [],
    "dialog": None,
    "menu": None,
    "notes": "On room: looked at 11.9.",
    "objective": None,
    "signals": {"turnsSinceSpoken": None},
    "last": None,
    "messages": [],
}
MENU = {
    "menuId": "m",
    "cursor": 0,
    "entries": [{"id": "n", "label": "No"}, {"id": "y1", "label": "Yes"}],
}
FIGHT = {
    "menuId": "f",
    "cursor": 0,
    "entries": [{"id": "fight", "label": "Fight"}, {"id": "run", "label": "Run"}],
}
PERSON = {"localId": 3, "graphicsId": 1, "x": 9, "y": 10, "facing": "north"}


def _decision(told="", seed=0, **changes):
    answer = play(json.dumps(OPEN | changes).encode(), told, seed)
    decided = decide(answer)
    assert isinstance(decided, Decision), decided
    return decided


def _action(told="", **changes):
    payload = msgspec.json.decode(_decision(told, **changes).payload)
    return tuple(payload.values())


def _last(action, effect, outcome="accepted", advice=None):
    return {"action": action, "outcome": outcome, "effect": effect, "advice": advice}


SCREENS = [
    ("text is read", {"mode": "dialog", "dialog": ["Hi."]}, ("advance_dialog",)),
    ("yes is chosen", {"mode": "menu", "menu": MENU}, ("select_menu_entry", "y1")),
    ("battles are fought", {"mode": "battle", "menu": FIGHT}, ("select_menu_entry", "fight")),
    (
        "a worn out companion runs",
        {
            "mode": "battle",
            "menu": FIGHT,
            "party": [
                {"slot": 0, "speciesId": 1, "level": 5, "currentHp": 2, "maxHp": 20, "moveIds": []}
            ],
        },
        ("select_menu_entry", "run"),
    ),
    ("battle text is read", {"mode": "battle", "dialog": ["Wild!"]}, ("advance_dialog",)),
    ("an unread screen is waited out", {"mode": "unknown"}, ("frame_advance", 180)),
    (
        "and then pressed",
        {"mode": "unknown", "last": _last("wait 180 frames", "nothing changed on the screen")},
        ("button_press", "a", 8),
    ),
    ("no input, no step", {"inputReady": False}, ("frame_advance", 40)),
    ("a new exit is taken", {}, ("walk_to", 13, 11)),
    ("a person is talked to", {"npcs": [PERSON]}, ("button_press", "a", 8)),
    (
        "a person is turned to first",
        {"npcs": [PERSON], "position": HERE | {"facing": "east"}},
        ("button_press", "down", 4),
    ),
    (
        "a person far off is walked up to",
        {"npcs": [PERSON | {"x": 12, "y": 8}]},
        ("walk_to", 11, 8),
    ),
    ("what stands alone is looked at", {"notes": None}, ("walk_to", 10, 9)),
    (
        "a refused exit gives way to the tile that was named",
        {
            "last": _last(
                "walk to (13,11)",
                "refused, nothing ran: no path to target",
                "rejected_by_adapter",
                "no way leads there; the nearest reachable tile is (12,11)",
            )
        },
        ("walk_to", 12, 11),
    ),
    (
        "without a map it pushes",
        {"minimap": None, "signals": {"refusedHere": ["up", "down", "left"]}},
        ("button_press", "right", 16),
    ),
]
NAMES = [screen[0] for screen in SCREENS]


@pytest.mark.parametrize(("changes", "action"), [s[1:] for s in SCREENS], ids=NAMES)
def test_each_screen_gets_its_action(changes, action):
    assert _action(**changes) == action


def test_a_name_is_written_and_confirmed():
    kind, name, confirm = _action(mode="naming")
    assert (kind, confirm) == ("enter_text", True)
    assert 1 <= len(name) <= 10


def test_the_edge_of_a_map_is_walked_to_and_crossed():
    way = {"exits": [], "connections": [{"direction": "west", "destination": "lane"}]}
    rows = ["#####", "..@.#", "#####"]
    there = {"minimap": {"x": 7, "y": 7, "rows": rows}, "position": HERE | {"y": 8}}
    assert _action(**way, **there) == ("walk_to", 7, 8)
    rows = ["#####", "@...#", "#####"]
    there = {"minimap": {"x": 7, "y": 7, "rows": rows}, "position": HERE | {"x": 7, "y": 8}}
    assert _action(**way, **there) == ("button_press", "left", 16)


def test_an_exit_that_is_no_target_is_walked_beside_stepped_onto_and_left_by():
    mat = {"exits": [{"x": 9, "y": 9, "to": "yard", "walkTo": "unsupported"}], "notes": None}

    def rows(*lines):
        return {"minimap": {"x": 7, "y": 7, "rows": lines}}

    far = rows("#######", "#.....@", "##D####")
    beside = rows("#######", "#.@....", "##D####")
    on = rows("#######", "#......", "##@####")
    assert _action(**mat, **far, position=HERE | {"x": 13, "y": 8}) == ("walk_to", 9, 8)
    assert _action(**mat, **beside, position=HERE | {"y": 8}) == ("button_press", "down", 16)
    assert _action(**mat, **on) == ("button_press", "down", 16)


def test_what_was_just_refused_is_not_asked_again():
    walk = _last("walk to (13,11)", "refused, nothing ran: script holding", "rejected_by_adapter")
    assert _action(last=walk) != ("walk_to", 13, 11)
    known = {"knownHardFailures": ["walk to (13,11): walk_exit_unsupported"]}
    assert _action(signals=known) != ("walk_to", 13, 11)
    read = _last("read on", "refused, nothing ran: dialog not open", "rejected_by_adapter")
    assert _action(mode="dialog", last=read) == ("button_press", "a", 8)


def test_a_tile_without_a_way_is_noted_and_avoided():
    refused = _last("walk to (13,11)", "refused, nothing ran: no path to target", "rejected")
    notes = _decision(last=refused).notes
    assert "no way to 13.11" in notes
    assert _action(notes=notes) != ("walk_to", 13, 11)


def test_an_entry_that_was_tried_lately_comes_after_the_others():
    told = "The last turns:\n#3 Choose “Yes” from the menu.: choose y1 -> accepted, chose"
    assert _action(told, mode="menu", menu=MENU) == ("select_menu_entry", "n")


def test_talks_and_ways_are_noted_and_not_repeated():
    talked = _decision(npcs=[PERSON])
    assert "talked to 3" in talked.notes
    gone = _decision(npcs=[PERSON], notes=talked.notes)
    assert "took 13.11" in gone.notes
    assert gone.description == "walk to (13,11)"


def test_a_loop_is_left_by_another_kind_of_move():
    looping = {"recurringForTurns": 8, "objectiveForTurns": 13}
    decided = _decision(signals=looping)
    assert decided.objective.startswith("Leave room")
    assert decided.description != "walk to (13,11)"
    assert _decision(signals={"objectiveRecovery": True}).objective is None


REPLIES = [
    ("Who are you?", "no language model"),
    ("where are you", "on room, at (9,9)"),
    ("What are you doing next?", "Walk to (13,11)"),
    ("hi there", "hello"),
    ("2 + 2?", "I do not know"),
    ("Go north now.", "I decide by myself"),
]


@pytest.mark.parametrize(("text", "words"), REPLIES)
def test_people_get_a_friendly_answer_and_decide_nothing(text, words):
    decided = _decision(messages=[{"speaker": "Ann", "text": text, "again": False}])
    assert decided.reply.startswith("Ann: ")
    assert words in decided.reply
    assert decided.speak is None
    assert decided.description == "walk to (13,11)"


def test_a_remark_comes_with_news_and_then_rests():
    entered = _last("walk to (1,1)", "walked 3 steps onto an exit: entered room at (9,9)")
    assert "room" in _decision(last=entered).speak
    assert _decision(last=entered, signals={"turnsSinceSpoken": 2}).speak is None


@pytest.mark.parametrize("changes", [s[1] for s in SCREENS], ids=NAMES)
def test_the_intent_names_the_action(changes):
    decided = _decision(**changes)
    action = msgspec.json.decode(decided.payload, type=RecordedAction)
    assert names_action(decided.intent, action)


def test_a_state_of_another_kind_is_left_alone():
    assert play(b'{"mode":7}', "", 0) is None
    assert play(b"{", "", 0) is None


TEXT = st.text(max_size=30)
TILE = st.integers(-3, 1030)
MAYBE = st.none


def _object(**fields):
    return st.fixed_dictionaries(fields)


ENTRY = _object(id=TEXT, label=TEXT)
STATES = _object(
    turn=st.integers(0, 99),
    mode=st.sampled_from(["overworld", "dialog", "menu", "naming", "cutscene", "battle", "else"]),
    inputReady=st.booleans(),
    position=MAYBE() | _object(mapId=TEXT, x=st.integers(0, 9), y=st.integers(0, 9), facing=TEXT),
    minimap=MAYBE()
    | _object(
        x=st.integers(0, 5),
        y=st.integers(0, 5),
        rows=st.lists(st.text("#.@Dv~", max_size=9), max_size=9),
    ),
    exits=MAYBE()
    | st.lists(
        _object(
            x=TILE, y=TILE, to=MAYBE() | TEXT, walkTo=st.sampled_from(["supported", "unsupported"])
        ),
        max_size=3,
    ),
    connections=MAYBE()
    | st.lists(
        _object(direction=st.sampled_from(["north", "south", "dive"]), destination=TEXT), max_size=3
    ),
    npcs=MAYBE() | st.lists(_object(localId=st.integers(), x=TILE, y=TILE), max_size=3),
    party=MAYBE()
    | st.lists(_object(currentHp=st.integers(0, 9), maxHp=st.integers(0, 9)), max_size=2),
    menu=MAYBE() | _object(menuId=TEXT, entries=st.lists(ENTRY, max_size=4)),
    notes=MAYBE() | st.text(max_size=800),
    objective=MAYBE() | st.text(max_size=160),
    last=MAYBE()
    | _object(action=MAYBE() | TEXT, outcome=TEXT, effect=MAYBE() | TEXT, advice=MAYBE() | TEXT),
    messages=st.lists(_object(speaker=TEXT, text=st.text(max_size=500)), max_size=3),
)


@settings(max_examples=150, deadline=None)
@given(STATES, st.integers(0, 3))
def test_no_prompt_gets_an_invalid_decision(state, seed):
    answer = play(json.dumps(state | {"dialog": None}).encode(), "", seed)
    assert answer is not None
    decided = decide(answer)
    assert not isinstance(decided, Invalid), decided
    assert not decided.clipped
    assert play(json.dumps(state | {"dialog": None}).encode(), "", seed) == answer
