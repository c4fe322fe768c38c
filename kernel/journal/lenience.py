"""What recorders of another kind write otherwise, and how it is read.

A field that was left open may be null where ours leaves it out: it reads as left out, unless it is
one that has to be there. A text that was cut in the middle of a character ends with half of a pair
(`\\ud83d`): the half reads as U+FFFD. Whatever else is not as declared is damage.
"""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec
from msgspec import Raw

_T = TypeVar("_T")


def read(decoder: msgspec.json.Decoder[_T], text: bytes | Raw) -> _T:
    """Decode a line or a part of one. Raises msgspec's `DecodeError`, and RecursionError."""
    try:
        return decoder.decode(text)
    except msgspec.DecodeError as error:
        mended = _HALF.sub(_mended, bytes(text))
        if mended == bytes(text) and _NULL.search(str(error)) is None:
            raise
    return _read_without_nulls(decoder, mended)


def _read_without_nulls(decoder: msgspec.json.Decoder[_T], text: bytes) -> _T:
    left_out: dict[str, msgspec.DecodeError] = {}
    while True:
        try:
            return decoder.decode(text)
        except msgspec.DecodeError as error:
            missing = _MISSING.search(str(error))
            if missing and missing[1] in left_out:
                raise left_out[missing[1]] from None
            null = _NULL.search(str(error))
            if null is None:
                raise
            path = null[1].split(".")
            text = _without(text, path)
            left_out[path[-1]] = error


def _without(text: bytes | Raw, path: list[str]) -> bytes:
    fields = msgspec.json.decode(text, type=dict[str, Raw])
    first, *rest = path
    if rest:
        fields[first] = Raw(_without(fields[first], rest))
    else:
        del fields[first]
    return msgspec.json.encode(fields)


def _mended(escape: re.Match[bytes]) -> bytes:
    return b"\\ufffd" if escape[1] else escape[0]


_NULL = re.compile(r"got `null` - at `\$\.([^`\[\]]+)`$")
_MISSING = re.compile(r"missing required field `([^`]+)`")
_HALF = re.compile(
    rb"\\\\"
    rb"|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
"""Escapes in their order: a backslash, a whole pair, or half of one (the group)."""
