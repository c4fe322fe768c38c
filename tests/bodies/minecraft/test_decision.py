"""The model's answer: what is a decision and what is none (K12)."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from bodies.minecraft import wire
from bodies.minecraft.decision import BOUNDS, SCHEMA, decide
from kernel.body import Decision, Invalid

THOUGHT = {"monologue": "I think", "intent": "to do"}
HERE = {"x": 1, "y": 64, "z": -3}
SPELLED = {"x": "1", "y": 64.0, "z": "-3.0"}
BLOCK = wire.BlockPosition(1, 64, -3)


def read(**fields: Any) -> Any:
    return decide(msgspec.json.encode({**THOUGHT, **fields}))


@pytest.mark.parametrize(
    ("fields", "action"),
    [
        ({}, None),
        ({"action": None, "text": None}, None),
        ({"action": "chat", "text": "hi"}, wire.Chat("hi")),
        ({"action": "goto", **HERE, "tolerance": 1.5}, wire.Goto(BLOCK, 1.5)),
        (
            {"action": "goto", "x": "1", "y": 64.0, "z": "-3.0", "tolerance": "0"},
            wire.Goto(BLOCK, 0),
        ),
        ({"action": "follow", "player": "Kim", "distance": 64}, wire.Follow("Kim", 64)),
        ({"action": "dig", **HERE}, wire.Dig(BLOCK)),
        ({"action": "craft", "item": "oak_planks", "count": 4}, wire.Craft("oak_planks", 4)),
        ({"action": "place", **HERE, "item": "dirt"}, wire.Place(BLOCK, "dirt")),
        (
            {"action": "build", "placements": [{**HERE, "item": "dirt"}]},
            wire.Build((wire.Placement(BLOCK, "dirt"),)),
        ),
    ],
)
def test_every_action_has_a_flat_spelling(fields: dict[str, Any], action: Any) -> None:
    decision = read(**fields)
    assert isinstance(decision, Decision)
    assert decision.action == action
    assert msgspec.json.decode(decision.payload, type=wire.Action | None) == action


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"action": "fly"}, "action"),
        ({"action": 3}, "action"),
        ({"action": "chat"}, "text"),
        ({"action": "chat", "text": ""}, "text"),
        ({"action": "chat", "text": "x" * 257}, "text"),
        ({"action": "chat", "text": "hi", "x": 1}, "x"),
        ({"text": "hi"}, "text"),
        ({"action": "goto", **HERE}, "tolerance"),
        ({"action": "goto", **HERE, "tolerance": 64.5}, "tolerance"),
        ({"action": "goto", **HERE, "tolerance": -0.1}, "tolerance"),
        ({"action": "goto", **HERE, "tolerance": True}, "tolerance"),
        ({"action": "dig", **HERE, "x": 1.5}, "x"),
        ({"action": "dig", **HERE, "x": "3.14"}, "x"),
        ({"action": "dig", **HERE, "y": 10_000}, "y"),
        ({"action": "follow", "player": "Kim", "distance": 0}, "distance"),
        ({"action": "follow", "player": "Kim", "distance": 65}, "distance"),
        ({"action": "craft", "item": "x", "count": 0}, "count"),
        ({"action": "build", "placements": []}, "placements"),
        ({"action": "build", "placements": [{**HERE, "item": "a"}] * 65}, "placements"),
        ({"action": "build", "placements": {"x": 1}}, "placements"),
        ({"action": "build", "placements": [7]}, "placements[0]"),
        ({"action": "build", "placements": [{**HERE, "item": "a", "y": 0.5}]}, "placements[0].y"),
        ({"action": "build", "placements": [{**HERE}]}, "placements[0].item"),
        ({"action": "build", "placements": [{**HERE, "item": "a", "op": 1}]}, "placements[0].op"),
        ({"speak": "hello"}, "speak"),
        ({"reply": "hello"}, "reply"),
        ({"host": "example.org"}, "host"),
        ({"monologue": ""}, "monologue"),
        ({"intent": None}, "intent"),
        ({"notes": 7}, "notes"),
    ],
)
def test_nothing_is_repaired_and_the_field_is_named(fields: dict[str, Any], path: str) -> None:
    invalid = read(**fields)
    assert isinstance(invalid, Invalid)
    assert invalid.path == path


def test_long_free_text_is_cut_and_named() -> None:
    decision = read(monologue="m" * 1001, intent="i" * 401, notes="n" * 4001, objective="o" * 1001)
    assert decision.clipped == ("monologue", "intent", "notes", "objective")
    lengths = [len(t) for t in (decision.monologue, decision.intent, decision.notes)]
    assert lengths == [1000, 400, 4000]
    assert len(decision.objective) == 1000


def test_notes_are_kept_by_null_and_an_objective_is_cleared_by_it() -> None:
    assert read(notes=None).notes is None
    assert read().objective is UNSET
    assert read(objective=None).objective is None
    assert read(objective="dig").objective == "dig"


@pytest.mark.parametrize("answer", [b"", b"[]", b"7", b'{"monologue": 1e999}', b"\xff{}"])
def test_what_is_no_object_is_no_decision(answer: bytes) -> None:
    assert isinstance(decide(answer), Invalid)


@given(
    st.dictionaries(
        st.sampled_from(["action", "x", "text", "placements", "notes", "monologue", "zz"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=9),
            lambda inner: st.lists(inner, max_size=3),
            max_leaves=4,
        ),
    )
)
def test_whatever_a_model_writes_is_a_decision_or_a_named_fault(fields: dict[str, Any]) -> None:
    answer = json.dumps({**THOUGHT, **fields}).encode()
    assert isinstance(decide(answer), Decision | Invalid)


def test_the_schema_is_flat_and_asks_for_every_field() -> None:
    schema = msgspec.json.decode(SCHEMA.json)
    assert b"oneOf" not in SCHEMA.json
    assert schema["required"] == list(schema["properties"])
    assert schema["additionalProperties"] is False
    assert (BOUNDS.reply, BOUNDS.speak) == (None, None)
