"""The model's answer: the flat schema that asks for it, and its strict reading (K12).

Null means absent. A text that is too long is cut and the cut is named; everything else that is not
as asked makes the whole answer no decision: an unknown field or kind, a missing field, a value in
another kind's field, a number out of range. A number may be spelled as 17, 17.0 or "17".
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from bodies.pokemon import wire
from bodies.pokemon.actions import CATALOGUE, ActionField, ActionKind, described, payload
from kernel.body import Decision, Invalid, TextBounds
from kernel.model.numbers import lossless_int
from kernel.model.request import Schema
from kernel.written import WrongField, reader

BOUNDS = TextBounds(
    monologue=600,
    intent=200,
    notes=800,
    objective=160,
    reply=2_000,
    speak=400,
    interjection=500,
)

PokemonDecision = Decision[wire.Action]


def decide(answer: bytes) -> PokemonDecision | Invalid:
    """Read one JSON object. Never raises for what a model wrote."""
    try:
        written = _read(answer)
        action = _action(written.given)
    except WrongField as wrong:
        return wrong.invalid
    return written.decides(action, described(action), payload(action))


def _action(given: dict[str, Any]) -> wire.Action:
    name = given.get("action")
    if name is None:
        raise WrongField("action", "is missing")
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise WrongField("action", f"one of {', '.join(_KINDS)} is wanted")
    values: list[int | str | bool | UnsetType] = []
    for field in kind.fields:
        if field.name in given:
            values.append(_value(field, given[field.name]))
        elif field.required:
            raise WrongField(field.name, f"{kind.name} needs it")
        else:
            values.append(UNSET)
    if not _FOREIGN[name].isdisjoint(given):
        first = next(field for field in _ACTION_FIELDS if field in _FOREIGN[name] & given.keys())
        raise WrongField(first, f"does not belong to {kind.name}")
    return kind.struct(*values)


def _value(field: ActionField, value: Any) -> int | str | bool:
    match field.type:
        case "integer":
            whole = lossless_int(value)
            if whole is None:
                raise WrongField(field.name, "a whole number is wanted")
            if not field.low <= whole <= field.high:
                raise WrongField(field.name, f"{field.low} to {field.high} is wanted, not {whole}")
            return whole
        case "boolean":
            if not isinstance(value, bool):
                raise WrongField(field.name, "true or false is wanted")
            return value
        case "string":
            if not isinstance(value, str):
                raise WrongField(field.name, "a string is wanted")
            if field.choices and value not in field.choices:
                raise WrongField(field.name, f"one of {', '.join(field.choices)} is wanted")
            if field.high and not field.low <= len(value) <= field.high:
                raise WrongField(field.name, f"{field.low} to {field.high} characters are wanted")
            if field.name == "text" and not set(value) <= _NAME_CHARACTERS:
                raise WrongField(field.name, f"only {field.says} can be written")
            return value


_NAME_CHARACTERS = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 .,!?/-"
)
_KINDS: dict[str, ActionKind] = {kind.name: kind for kind in CATALOGUE}
_ACTION_FIELDS: dict[str, ActionField] = {
    field.name: field for kind in CATALOGUE for field in kind.fields
}
_FOREIGN: dict[str, frozenset[str]] = {
    kind.name: frozenset(_ACTION_FIELDS) - {field.name for field in kind.fields}
    for kind in CATALOGUE
}
_TEXTS = {
    "monologue": "what you think, 1–600 characters",
    "intent": "what this action is for, 1–200 characters",
    "notes": "your whole memory from now on, at most 800 characters; null keeps it as it is",
    "objective": "your present goal, at most 160 characters; repeat it to keep it, null clears it",
    "reply": "what you answer a person who spoke, at most 2000 characters; null for no answer",
    "speak": "a remark of your own, at most 400 characters; null for none",
}
_FIELD_NAMES = frozenset((*_TEXTS, "action", *_ACTION_FIELDS))
_read = reader(BOUNDS, _FIELD_NAMES)


def _property(name: str, kind: str, says: str, choices: tuple[str, ...]) -> dict[str, Any]:
    owner = [k.name for k in CATALOGUE for f in k.fields if f.name == name]
    described = f"{', '.join(owner)}: {says}" if owner else says
    shape: dict[str, Any] = {"type": [kind, "null"], "description": described}
    if choices:
        shape["enum"] = [*choices, None]
    return shape


def _schema() -> bytes:
    properties: dict[str, Any] = {}
    for name, says in _TEXTS.items():
        kind = "string" if name in ("monologue", "intent") else ["string", "null"]
        properties[name] = {"type": kind, "description": says}
    properties["action"] = {
        "type": "string",
        "description": "the kind of action; fields of other kinds are null",
        "enum": list(_KINDS),
    }
    for field in _ACTION_FIELDS.values():
        properties[field.name] = _property(field.name, field.type, field.says, field.choices)
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
