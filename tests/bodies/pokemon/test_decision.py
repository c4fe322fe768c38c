import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from bodies.pokemon import wire
from bodies.pokemon.actions import CATALOGUE
from bodies.pokemon.decision import BOUNDS, SCHEMA, decide
from kernel.body import Decision, Invalid

WALK = {"monologue": "m", "intent": "i", "action": "walk_to", "x": 3, "y": 4}


def answer(**fields: Any) -> bytes:
    return json.dumps(WALK | fields).encode()


def decided(**fields: Any) -> Decision[wire.Action]:
    decision = decide(answer(**fields))
    assert isinstance(decision, Decision), decision
    return decision


def refused(**fields: Any) -> Invalid:
    decision = decide(answer(**fields))
    assert isinstance(decision, Invalid), decision
    return decision


@pytest.mark.parametrize(
    ("fields", "action", "payload"),
    [
        (
            {"action": "button_press", "button": "a", "holdFrames": 16, "repeat": 8},
            wire.ButtonPress("a", 16, 8),
            {"kind": "button_press", "button": "a", "holdFrames": 16, "repeat": 8},
        ),
        (
            {"action": "button_press", "button": "up", "holdFrames": 4, "repeat": None},
            wire.ButtonPress("up", 4),
            {"kind": "button_press", "button": "up", "holdFrames": 4},
        ),
        (
            {"action": "frame_advance", "frames": 3600},
            wire.FrameAdvance(3600),
            {"kind": "frame_advance", "frames": 3600},
        ),
        ({"action": "advance_dialog"}, wire.AdvanceDialog(), {"kind": "advance_dialog"}),
        (
            {"action": "enter_text", "text": "ROSE", "confirm": False},
            wire.EnterText("ROSE", False),
            {"kind": "enter_text", "text": "ROSE", "confirm": False},
        ),
        (
            {"action": "select_menu_entry", "entry": "yes"},
            wire.SelectMenuEntry("yes"),
            {"kind": "select_menu_entry", "entryId": "yes"},
        ),
    ],
)
def test_each_kind_is_read_and_recorded_in_its_own_fields(
    fields: dict[str, Any], action: wire.Action, payload: dict[str, Any]
):
    decision = decided(x=None, y=None, **fields)

    assert decision.action == action
    assert msgspec.json.decode(decision.payload) == payload


@pytest.mark.parametrize("x", [17, "17", 17.0, "17.0"])
def test_a_number_without_loss_is_taken_and_sent_as_an_integer(x: Any):
    """Case 6."""
    assert msgspec.json.decode(decided(x=x).payload) == {"kind": "walk_to", "x": 17, "y": 4}


@pytest.mark.parametrize("x", ["3.14", 3.5, True, "NaN", [3], {"x": 3}, "", "three", -1, 1024])
def test_a_number_that_would_lose_or_is_out_of_range_is_invalid(x: Any):
    """Case 6."""
    assert refused(x=x).path == "x"


@pytest.mark.parametrize("number", ["NaN", "1e999", "Infinity", "-1e999"])
def test_what_json_has_no_number_for_makes_no_decision(number: str):
    text = answer().replace(b'"x": 3', f'"x": {number}'.encode())

    assert isinstance(decide(text), Invalid)


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"action": "fly_to"}, "action"),
        ({"action": None}, "action"),
        ({"action": {"kind": "walk_to"}}, "action"),
        ({"x": None}, "x"),
        ({"frames": 3}, "frames"),
        ({"entry": "yes"}, "entry"),
        ({"text": ""}, "text"),
        ({"confirm": False}, "confirm"),
        ({"monologue": None}, "monologue"),
        ({"monologue": ""}, "monologue"),
        ({"intent": 3}, "intent"),
        ({"notes": ["a"]}, "notes"),
        ({"hold_frames": 3}, "hold_frames"),
        ({"mood": "calm"}, "mood"),
    ],
)
def test_nothing_is_repaired_and_the_field_is_named(fields: dict[str, Any], path: str):
    """K12, case 3."""
    assert refused(**fields).path == path


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"action": "button_press", "button": "A", "holdFrames": 16}, "button"),
        ({"action": "button_press", "button": "a"}, "holdFrames"),
        ({"action": "button_press", "button": "a", "holdFrames": 0}, "holdFrames"),
        ({"action": "button_press", "button": "a", "holdFrames": 241}, "holdFrames"),
        ({"action": "button_press", "button": "a", "holdFrames": 9, "repeat": 17}, "repeat"),
        ({"action": "frame_advance", "frames": 3601}, "frames"),
        ({"action": "enter_text", "text": "ELEVENCHARS"}, "text"),
        ({"action": "enter_text", "text": "ROSE\n"}, "text"),
        ({"action": "enter_text", "text": "ROSÉ"}, "text"),
        ({"action": "enter_text", "text": "ROSE", "confirm": "yes"}, "confirm"),
        ({"action": "select_menu_entry", "entry": ""}, "entry"),
        ({"action": "select_menu_entry", "entry": 3}, "entry"),
    ],
)
def test_bounds_of_each_kind_hold(fields: dict[str, Any], path: str):
    assert refused(x=None, y=None, **fields).path == path


@pytest.mark.parametrize(
    "text", [b"", b"[]", b'"walk"', b"null", b"{", b"walk to the door", b"\xff", b'{"a":' * 9_000]
)
def test_what_is_no_object_is_no_decision(text: bytes):
    """Case 33: the first answer of a session is treated like any."""
    assert isinstance(decide(text), Invalid)


def test_notes_of_801_characters_are_cut_and_the_action_stands():
    """Case 10."""
    decision = decided(notes="n" * 801)

    assert decision.notes == "n" * 800
    assert decision.clipped == ("notes",)
    assert decision.action == wire.WalkTo(3, 4)


@pytest.mark.parametrize("field", ["monologue", "intent", "notes", "objective", "reply", "speak"])
def test_every_text_is_cut_at_its_own_bound(field: str):
    bound = getattr(BOUNDS, field)

    assert len(getattr(decided(**{field: "x" * (bound + 1)}), field)) == bound
    assert decided(**{field: "x" * bound}).clipped == ()


@pytest.mark.parametrize(
    ("fields", "objective"),
    [
        ({}, UNSET),
        ({"objective": None}, None),
        ({"objective": ""}, None),
        ({"objective": "the ferry"}, "the ferry"),
    ],
)
def test_an_objective_is_set_cleared_or_kept(fields: dict[str, Any], objective: Any):
    assert decided(**fields).objective == objective


def test_null_notes_keep_them_and_empty_notes_clear_them():
    assert decided(notes=None).notes is None
    assert decided(notes="").notes == ""


def test_the_schema_is_flat_and_names_every_field():
    schema = json.loads(SCHEMA.json)
    fields = {field.name for kind in CATALOGUE for field in kind.fields}

    assert fields < set(schema["properties"])
    assert schema["required"] == list(schema["properties"])
    assert schema["additionalProperties"] is False
    assert not {"oneOf", "anyOf", "allOf"} & set(SCHEMA.json.decode().split('"'))
    assert schema["properties"]["action"]["enum"] == [kind.name for kind in CATALOGUE]


@pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.name)
def test_an_answer_that_fills_the_schema_for_a_kind_is_a_decision(kind: Any):
    examples: dict[str, Any] = {"string": "ab", "integer": 3, "boolean": True}
    fields: dict[str, Any] = dict.fromkeys(json.loads(SCHEMA.json)["properties"])
    fields |= {"monologue": "m", "intent": "i", "action": kind.name}
    for field in kind.fields:
        fields[field.name] = field.choices[0] if field.choices else examples[field.type]

    decision = decide(json.dumps(fields).encode())

    assert isinstance(decision, Decision)
    assert decision.description


@given(st.binary(max_size=200))
def test_no_bytes_make_the_reading_fail(text: bytes):
    decide(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)
FIELDS = sorted(json.loads(SCHEMA.json)["properties"])


@given(st.dictionaries(st.sampled_from(FIELDS), JSON))
def test_whatever_is_accepted_keeps_its_bounds_and_its_kind(fields: dict[str, Any]):
    decision = decide(json.dumps(WALK | fields).encode())

    if isinstance(decision, Invalid):
        assert decision.path == "" or decision.path in FIELDS
        return
    assert 1 <= len(decision.monologue) <= 600
    assert 1 <= len(decision.intent) <= 200
    recorded = msgspec.json.decode(decision.payload)
    assert recorded["kind"] == (WALK | fields)["action"]
    assert len(decision.notes or "") <= 800
