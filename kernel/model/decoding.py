"""The one JSON object in a model's text."""

import json
from typing import Any

import msgspec

from kernel.model.errors import FailureKind

MOST_CANDIDATES = 64


def find_object(text: str) -> bytes | FailureKind:
    """The exact bytes of the first whole JSON object, fenced or not, whatever prose follows.

    The first brace outside a leading `<think>` block must begin it: past a brace in prose, or in
    an object that does not close, nothing inside is taken for the answer. Another whole object
    that differs makes it ambiguous, and so does one key with two values.
    """
    text = _after_thinking(text)
    start = text.find("{")
    if start < 0 or text[:start].lstrip().startswith(("[", '"')):
        return FailureKind.NOT_JSON
    try:
        first, end = _DECODER.raw_decode(text, start)
        found = text[start:end].encode()
        msgspec.json.decode(found, type=msgspec.Raw)
        another = _another_follows(text, end, _canonical(first))
    except _TwoValues:
        return FailureKind.AMBIGUOUS
    except (ValueError, RecursionError):
        return FailureKind.NOT_JSON
    return FailureKind.AMBIGUOUS if another else found


class _TwoValues(ValueError):
    pass


def _after_thinking(text: str) -> str:
    """What follows a leading thinking block; nothing when the block never closes."""
    if not text.lstrip().startswith("<think>"):
        return text
    return text.partition("</think>")[2]


def _another_follows(text: str, position: int, first: str) -> bool:
    for _ in range(MOST_CANDIDATES):
        position = text.find("{", position)
        if position < 0:
            return False
        try:
            other, position = _DECODER.raw_decode(text, position)
        except _TwoValues:
            return True
        except (ValueError, RecursionError):
            position += 1
            continue
        if _canonical(other) != first:
            return True
    # So many braces that looking on would cost more than asking again.
    return True


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs) and any(
        _canonical(fields[name]) != _canonical(value) for name, value in pairs
    ):
        raise _TwoValues
    return fields


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_no_constant)
