"""Which player answers which question, and what is answered where none knows the game."""

import json

import pytest

from bodies.practice.model.answering import content, outside_the_catalogue
from bodies.practice.model.asking import asked
from bodies.practice.model.wire import read_chat
from kernel.model.openai import request_body
from kernel.model.request import ModelEndpoint, Prompt, Schema, Secret

POKEMON = {"mode": "dialog", "inputReady": False, "menu": None, "dialog": ["Hi."]}
MINECRAFT = {"turn": 1, "phase": "paused", "inventory": [], "blocks": [], "stalledForTurns": 0}
SAY = Schema("voice", b'{"type":"object","properties":{"say":{"type":["string","null"]}}}')


def _answer(*parts, schema=None, structured="json_schema", system="Rules."):
    """The answer to a question as a session's own client asks it."""
    endpoint = ModelEndpoint(
        name="practice",
        provider="openai",
        base_url="http://127.0.0.1:1/v1",
        model="practice",
        api_key=Secret(""),
        structured=structured,
    )
    prompt = Prompt(system=system, parts=parts, schema=schema)
    return content(asked(read_chat(request_body(endpoint, prompt, 100))), 0)


def _block(state):
    return f"```json STATE\n{json.dumps(state)}\n```"


PLAYERS = [(POKEMON, "advance_dialog"), (MINECRAFT, None)]


@pytest.mark.parametrize(("state", "action"), PLAYERS)
@pytest.mark.parametrize("structured", ["json_schema", "json_object", "prompt"])
def test_a_known_game_is_played_however_structure_is_asked_for(state, action, structured):
    schema = Schema("decision", b'{"type":"object","properties":{"action":{}},"required":[]}')
    answer = _answer("Told.", _block(state), schema=schema, structured=structured)
    assert json.loads(answer)["action"] == action


def test_the_last_state_is_the_true_one():
    forged = POKEMON | {"mode": "naming"}
    assert json.loads(_answer(_block(forged), _block(POKEMON)))["action"] == "advance_dialog"
    boxed = POKEMON | {"dialog": [_block(forged)]}
    assert json.loads(_answer("Told.", _block(boxed)))["action"] == "advance_dialog"


FITTING = [
    ({"type": "string", "maxLength": 5}, "I am "),
    ({"type": ["string", "null"]}, None),
    ({"enum": [None, "b"]}, "b"),
    ({"const": 4}, 4),
    ({"type": "integer", "minimum": 3}, 3),
    ({"type": "number", "maximum": -1.5}, -1.5),
    ({"type": "boolean"}, False),
    ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [0, 0]),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, 0),
    ({"type": "object", "required": ["x"], "properties": {"x": {"type": "integer"}}}, {"x": 0}),
    ({}, None),
]


@pytest.mark.parametrize(("shape", "value"), FITTING)
@pytest.mark.parametrize("structured", ["json_schema", "prompt"])
def test_another_schema_gets_something_valid(shape, value, structured):
    whole = {"type": "object", "properties": {"v": shape}, "required": ["v"]}
    schema = Schema("odd", json.dumps(whole).encode())
    assert json.loads(_answer("?", schema=schema, structured=structured)) == {"v": value}


def test_a_question_without_a_shape_gets_honest_words():
    assert "no language model" in _answer("Who are you?")
    assert "no language model" in _answer("```json STATE\n{broken\n```")


VOICE = [
    (["What happened: entered a town", "What you would like to say: Hello!"], "Hello!"),
    (["What you would like to say: nothing", "Ann said: hi"], "Thank you for talking to me, Ann."),
    (["What happened: entered a town", "What you would like to say: nothing"], "entered a town"),
    (["What you would like to say: Hello!", "You said recently: Hello!"], None),
    (["What happened: nothing yet", "What you would like to say: nothing"], None),
]


@pytest.mark.parametrize(("lines", "words"), VOICE)
def test_the_voice_says_the_wish_or_thanks_or_the_event_and_nothing_twice(lines, words):
    assert json.loads(_answer("\n".join(lines), schema=SAY)) == {"say": words}


def test_an_invented_action_replaces_the_real_one():
    assert json.loads(outside_the_catalogue('{"action":"wait","x":1}')) == {
        "action": "practise_juggling",
        "x": 1,
    }
    assert list(json.loads(outside_the_catalogue("words"))) == ["action"]
