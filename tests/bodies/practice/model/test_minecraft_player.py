"""The Minecraft player: from a prompt to a decision that the body accepts."""

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodies.minecraft.decision import decide
from bodies.practice.model.players.minecraft.diary import Diary, read_diary
from bodies.practice.model.players.minecraft.player import play
from bodies.practice.model.players.registry import player_of
from kernel.body import Decision, Invalid

GROUND = [
    {"x": x, "y": 63, "z": z, "block": "grass_block"} for x in range(-6, 7) for z in range(-6, 7)
]
STATE = {
    "turn": 40,
    "phase": "active",
    "player": "Robin",
    "position": {"x": 0.5, "y": 64.0, "z": 0.5},
    "health": 20.0,
    "food": 20.0,
    "inventory": [],
    "blocks": [],
    "players": [],
    "chat": [],
    "event": None,
    "notes": None,
    "objective": None,
    "unchangedForTurns": 0,
    "stalledForTurns": 0,
    "last": None,
    "messages": [],
}
LOG = {"x": 2, "y": 64, "z": 0, "block": "oak_log"}
TABLE = {"x": 1, "y": 64, "z": 0, "block": "crafting_table"}
FAR_TABLE = {"x": 9, "y": 64, "z": 0, "block": "crafting_table"}
LEAF = {"x": 3, "y": 67, "z": 0, "block": "oak_leaves"}
ROOF = {"x": 0, "y": 66, "z": 0, "block": "dirt"}
HURT = "you were hurt by prowler; health 14"


def _carried(**counts):
    return [{"item": item, "count": count} for item, count in counts.items()]


def _decision(told="", seed=0, **changes):
    decided = decide(play(json.dumps(STATE | changes).encode(), told, seed))
    assert isinstance(decided, Decision), decided
    return decided


MOVES = [
    ("the dead wait", {"health": 0.0, "blocks": [LOG]}, "wait"),
    ("a paused world is waited for", {"phase": "paused"}, "wait"),
    ("without a place there is nothing to do", {"position": None}, "wait"),
    ("wood is gathered", {"blocks": [LOG]}, "dig at (2,64,0)"),
    ("logs become planks", {"inventory": _carried(oak_log=1)}, "craft 4 oak_planks"),
    ("planks become a table", {"inventory": _carried(oak_planks=4)}, "craft 1 crafting_table"),
    (
        "sticks are made where a table stands",
        {"inventory": _carried(oak_planks=5), "blocks": [TABLE]},
        "craft 4 stick",
    ),
    (
        "a table is put on free ground",
        {"inventory": _carried(oak_planks=3, stick=2, crafting_table=1), "blocks": GROUND},
        "place crafting_table at (1,64,0)",
    ),
    (
        "a far table is walked to",
        {"inventory": _carried(oak_planks=3, stick=2), "blocks": [FAR_TABLE]},
        "go to (9,64,0), within 3",
    ),
    (
        "a pickaxe is made at the table",
        {"inventory": _carried(oak_planks=3, stick=4), "blocks": [TABLE]},
        "craft 1 wooden_pickaxe",
    ),
    (
        "a pickaxe is for stone",
        {
            "inventory": _carried(oak_log=6, oak_planks=8, wooden_pickaxe=1),
            "blocks": [{"x": 0, "y": 64, "z": 2, "block": "stone"}],
        },
        "dig at (0,64,2)",
    ),
    (
        "a post is built of what is left over",
        {"inventory": _carried(cobblestone=3), "blocks": GROUND},
        "build 3 blocks from (1,64,0)",
    ),
    (
        "not so soon again",
        {
            "inventory": _carried(cobblestone=3, dirt=5),
            "blocks": GROUND,
            "notes": "Built last in turn 30.",
        },
        "go to (",
    ),
    (
        "the hurt build a roof",
        {"event": HURT, "inventory": _carried(dirt=4), "blocks": GROUND},
        "build 4 blocks from (1,64,0)",
    ),
    (
        "without anything to build with they go under a tree",
        {"event": HURT, "blocks": [*GROUND, LEAF]},
        "go to (3,64,0), within 0",
    ),
    ("under cover they wait", {"event": HURT, "blocks": [*GROUND, ROOF, LOG]}, "wait"),
    (
        "they stay for a while",
        {"notes": "Hurt last in turn 31.", "blocks": [*GROUND, ROOF, LOG]},
        "wait",
    ),
    (
        "and come out again",
        {"notes": "Hurt last in turn 20.", "blocks": [*GROUND, ROOF, LOG]},
        "dig at (2,64,0)",
    ),
    ("a stall ends in a walk", {"blocks": [LOG], "stalledForTurns": 3}, "go to ("),
    ("with nothing to do the place is explored", {"inventory": _carried(dirt=5)}, "go to ("),
    (
        "far from home it turns back",
        {"notes": "Home is at (100,64,0).", "inventory": _carried(dirt=5)},
        "go to (50,64,0), within 6",
    ),
]


@pytest.mark.parametrize(
    ("changes", "described"), [m[1:] for m in MOVES], ids=[m[0] for m in MOVES]
)
def test_each_moment_gets_its_move(changes, described):
    assert _decision(**changes).description.startswith(described)


def test_a_person_is_answered_in_the_chat_before_anything_else():
    messages = [{"speaker": "Ann", "text": "Are you an AI?", "again": False}]
    decided = _decision(messages=messages, blocks=[LOG], event=HURT)
    assert decided.description.startswith('say "Ann: ')
    assert "no language model" in decided.description


def _spoken(text):
    chat = [{"player": "Wren", "text": text}]
    return {"chat": chat, "event": f'Wren said: "{text}"', "blocks": [LOG]}


@pytest.mark.parametrize("text", ["Hello Robin!", "Shall we build something?"])
def test_a_player_who_speaks_to_it_is_answered_and_then_there_is_some_quiet(text):
    answered = _decision(**_spoken(text))
    assert answered.description.startswith('say "Wren: ')
    again = _decision(**_spoken(text), notes=answered.notes)
    assert again.description == "dig at (2,64,0)"
    later = _decision(**_spoken(text), notes=answered.notes, turn=46)
    assert later.description.startswith('say "Wren: ')


def test_what_is_said_to_nobody_or_long_ago_is_not_answered():
    assert _decision(**_spoken("Found nothing today.")).description == "dig at (2,64,0)"
    old = {**_spoken("Hello Robin!"), "event": None}
    assert _decision(**old).description == "dig at (2,64,0)"


def _last(effect):
    return {"action": "dig at (2,64,0)", "outcome": "settled", "effect": effect, "advice": None}


def test_what_came_to_nothing_is_not_tried_again_for_a_while():
    tried = _decision(blocks=[LOG], last=_last("refuted: oak_log at (2,64,0) instead of air"))
    assert tried.description != "dig at (2,64,0)"
    assert _decision(blocks=[LOG], notes=tried.notes).description != "dig at (2,64,0)"
    verified = _decision(blocks=[LOG], last=_last("verified: air at (2,64,0)"))
    assert verified.description == "dig at (2,64,0)"


def test_a_diary_reads_back_what_it_wrote_and_keeps_what_others_wrote():
    diary = Diary(spoke=3, hurt=7, in_vain=("dig at (1,2,3)",), foreign=("Be kind.",))
    assert read_diary(diary.written()) == diary
    for number in range(20):
        diary = diary.failed(f"dig at ({number},0,0)")
    assert len(diary.in_vain) == 8
    assert diary.since("hurt", 5) is None, "a turn that lies ahead was another session's"


def test_the_registry_knows_the_state_of_a_minecraft_prompt():
    assert player_of(json.dumps(STATE).encode()) is play


def test_a_state_of_another_kind_is_left_alone():
    assert play(b'{"blocks":7}', "", 0) is None


TEXT = st.text(max_size=40)
WHERE = st.integers(-40_000_000, 40_000_000) | st.integers(-5, 5)
REAL = st.floats(-1e9, 1e9) | st.floats(-5, 5)
ITEMS = st.sampled_from(
    [
        *("oak_log", "oak_planks", "stick", "crafting_table", "stone", "cobblestone", "dirt"),
        *("wooden_pickaxe", "oak_leaves", "grass_block"),
    ]
)
STATES = st.fixed_dictionaries(
    {
        "turn": st.integers(0, 99),
        "phase": st.sampled_from([None, "active", "active", "paused"]),
        "player": st.sampled_from(["", "Robin"]),
        "position": st.none() | st.fixed_dictionaries({"x": REAL, "y": REAL, "z": REAL}),
        "health": st.none() | st.floats(0, 20),
        "inventory": st.lists(
            st.fixed_dictionaries({"item": ITEMS | TEXT, "count": st.integers(0, 64)}), max_size=5
        ),
        "blocks": st.lists(
            st.fixed_dictionaries({"x": WHERE, "y": WHERE, "z": WHERE, "block": ITEMS | TEXT}),
            max_size=8,
        ),
        "players": st.lists(
            st.fixed_dictionaries({"name": st.text(max_size=300), "near": st.booleans()}),
            max_size=2,
        ),
        "chat": st.lists(
            st.fixed_dictionaries({"player": TEXT, "text": st.text(max_size=400)}), max_size=2
        ),
        "event": st.none() | st.just(HURT) | TEXT,
        "notes": st.none() | st.text(max_size=4_000),
        "objective": st.none() | st.text(max_size=1_000),
        "stalledForTurns": st.integers(0, 4),
        "messages": st.lists(
            st.fixed_dictionaries({"speaker": TEXT, "text": st.text(max_size=400)}), max_size=2
        ),
    }
)


@settings(max_examples=200, deadline=None)
@given(STATES, st.integers(0, 3))
def test_no_prompt_gets_an_invalid_decision(state, seed):
    answer = play(json.dumps(state).encode(), "", seed)
    assert answer is not None
    decided = decide(answer)
    assert not isinstance(decided, Invalid), decided
    assert not decided.clipped
    assert play(json.dumps(state).encode(), "", seed) == answer
    assert msgspec.json.decode(answer)["objective"]
