"""Fitting: a valid value for a JSON schema of a question that no player knows."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from bodies.practice.model.wire import JsonSchema

DEEPEST = 20


def fit(schema: JsonSchema, words: str, depth: int = 0) -> Any:
    """The plainest value that fits; `words` where a text is wanted. Null for what is too deep."""
    if schema.const is not UNSET:
        return schema.const
    if schema.enum:
        null = b"null"
        return next((value for value in schema.enum if bytes(value) != null), schema.enum[0])
    if depth >= DEEPEST:
        return None
    if schema.any_of:
        return fit(schema.any_of[0], words, depth + 1)
    types = schema.types
    if "null" in types:
        return None
    if "object" in types or schema.properties:
        return {
            name: fit(schema.properties.get(name, _ANYTHING), words, depth + 1)
            for name in schema.required
        }
    if "string" in types:
        return words.ljust(schema.min_length, ".")[: schema.max_length]
    if "integer" in types or "number" in types:
        return _number(schema)
    if "array" in types:
        return [fit(schema.items or _ANYTHING, words, depth + 1)] * schema.min_items
    return False if "boolean" in types else None


def _number(schema: JsonSchema) -> int | float:
    least = 0 if schema.minimum is None else max(0, schema.minimum)
    number = least if schema.maximum is None else min(least, schema.maximum)
    return int(number) if number == int(number) else number


_ANYTHING = JsonSchema()
