"""The model's answer: the flat schema that asks for it, and its strict reading (K12).

Null means absent, and an absent action means waiting. A text that is too long is cut and the cut is
named; everything else that is not as asked makes the whole answer no decision: an unknown field or
kind, a missing field, a value in another kind's field, a number out of range. A number may be
spelled as 17, 17.0 or "17". What is said in the game is an action: it is never cut.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec

from bodies.minecraft import wire
from bodies.minecraft.actions import (
    CATALOGUE,
    ITEM,
    POSITION,
    ActionField,
    ActionKind,
    described,
    payload,
)
from kernel.body import Decision, Invalid, TextBounds
from kernel.model.numbers import lossless_int, lossless_number
from kernel.model.request import Schema
from kernel.written import WrongField, reader

BOUNDS = TextBounds(
    monologue=1_000,
    intent=400,
    notes=4_000,
    objective=1_000,
    reply=None,
    speak=None,
    interjection=2_000,
)

MinecraftDecision = Decision[wire.Action]


def decide(answer: bytes) -> MinecraftDecision | Invalid:
    """Read one JSON object. Never raises for what a model wrote."""
    try:
        written = _read(answer)
        action = _action(written.given)
    except WrongField as wrong:
        return wrong.invalid
    return written.decides(action, "wait" if action is None else described(action), payload(action))


def _action(given: dict[str, Any]) -> wire.Action | None:
    name = given.get("action")
    kind = None
    if name is not None:
        kind = _KINDS.get(name) if isinstance(name, str) else None
        if kind is None:
            raise WrongField("action", f"one of {', '.join(_KINDS)} or null is wanted")
    own = {field.name for field in kind.fields} if kind else set[str]()
    for other in _ACTION_FIELDS:
        if other in given and other not in own:
            raise WrongField(other, f"does not belong to {kind.name if kind else 'waiting'}")
    if kind is None:
        return None
    values = _values(kind.fields, given, f"{kind.name} needs it", "")
    return msgspec.convert({"kind": kind.name, **_placed(values)}, wire.Action)


def _values(
    fields: tuple[ActionField, ...], given: dict[str, Any], missing: str, within: str
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in fields:
        value = given.get(field.name)
        if value is None:
            raise WrongField(within + field.name, missing)
        values[field.name] = _value(field, value, within + field.name)
    return values


def _value(field: ActionField, value: Any, path: str) -> Any:
    match field.type:
        case "string":
            if not isinstance(value, str):
                raise WrongField(path, "a string is wanted")
            if not field.low <= len(value) <= field.high:
                raise WrongField(path, f"{field.low}–{field.high} characters are wanted")
            return value
        case "placements":
            return _placements(field, value, path)
        case "integer" | "number":
            whole = field.type == "integer"
            number = lossless_int(value) if whole else lossless_number(value)
            if number is None:
                raise WrongField(path, f"a {'whole ' if whole else ''}number is wanted")
            if not field.low <= number <= field.high or (field.above and number == field.low):
                least = "more than " if field.above else ""
                raise WrongField(
                    path, f"{least}{field.low} to {field.high} is wanted, not {number:.17g}"
                )
            return number


def _placements(field: ActionField, value: Any, path: str) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        raise WrongField(path, "a list is wanted")
    given = cast("list[Any]", value)
    if not field.low <= len(given) <= field.high:
        raise WrongField(
            path, f"{field.low} to {field.high} placements are wanted, not {len(given)}"
        )
    placements: list[dict[str, Any]] = []
    for index, one in enumerate(given):
        at = f"{path}[{index}]"
        if not isinstance(one, dict):
            raise WrongField(at, "an object is wanted")
        fields = cast("dict[str, Any]", one)
        for name in fields:
            if name not in _PLACEMENT_NAMES:
                raise WrongField(f"{at}.{name[:60]}", "there is no such field")
        placements.append(_placed(_values(_PLACEMENT, fields, "a placement needs it", f"{at}.")))
    return placements


def _placed(values: dict[str, Any]) -> dict[str, Any]:
    """The same values with the flat x, y, z as one position."""
    if "x" not in values:
        return values
    rest = {name: value for name, value in values.items() if name not in ("x", "y", "z")}
    return {"position": {axis: values[axis] for axis in ("x", "y", "z")}, **rest}


_PLACEMENT = (*POSITION, ITEM)
_PLACEMENT_NAMES = frozenset(field.name for field in _PLACEMENT)
_KINDS: dict[str, ActionKind] = {kind.name: kind for kind in CATALOGUE}
_ACTION_FIELDS: dict[str, ActionField] = {
    field.name: field for kind in CATALOGUE for field in kind.fields
}
_TEXTS = {
    "monologue": f"what you think, 1–{BOUNDS.monologue} characters",
    "intent": f"what this action is for, 1–{BOUNDS.intent} characters",
    "notes": f"your whole memory from now on, at most {BOUNDS.notes} characters; null keeps it",
    "objective": f"your present goal, at most {BOUNDS.objective} characters; repeat it to keep it,"
    " null clears it",
}
_FIELD_NAMES = frozenset((*_TEXTS, "action", *_ACTION_FIELDS))
_read = reader(BOUNDS, _FIELD_NAMES)


def _property(field: ActionField) -> dict[str, Any]:
    owners = [kind.name for kind in CATALOGUE for own in kind.fields if own.name == field.name]
    says = f"{', '.join(owners)}: {field.says}"
    if field.type != "placements":
        return {"type": [field.type, "null"], "description": says}
    one = {own.name: {"type": own.type, "description": own.says} for own in _PLACEMENT}
    return {
        "type": ["array", "null"],
        "description": says,
        "items": {
            "type": "object",
            "properties": one,
            "required": list(one),
            "additionalProperties": False,
        },
    }


def _schema() -> bytes:
    properties: dict[str, Any] = {}
    for name, says in _TEXTS.items():
        kind = "string" if name in ("monologue", "intent") else ["string", "null"]
        properties[name] = {"type": kind, "description": says}
    properties["action"] = {
        "type": ["string", "null"],
        "description": "the kind of action, null to wait; fields of other kinds are null",
        "enum": [*_KINDS, None],
    }
    properties |= {name: _property(field) for name, field in _ACTION_FIELDS.items()}
    return msgspec.json.encode(
        {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    )


SCHEMA = Schema("decision", _schema())
"""Flat; every field is required because strict providers want it so; null stands for absent."""
