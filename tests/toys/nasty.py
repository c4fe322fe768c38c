"""Documents as a hostile peer writes them: right ones with something nasty in a few places."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import msgspec
from hypothesis import strategies as st

NUMBERS = (
    *(str(number).encode() for number in (-1, 0, 2**31, 2**53, 2**63, 2**64)),
    b"9" * 309,
    b"-" + b"9" * 400,
    b"9" * 4300,
    b"9" * 5000,
    b"16.0",
    b"0.1",
    b"-1e308",
    b"1e999",
    b"NaN",
    b"-Infinity",
)
TEXTS = (
    b'""',
    b'"16"',
    b'"NaN"',
    rb'"\ud800"',
    rb'"\u0000\u001b]0;owned\u0007\u009b31m\u202e\n"',
    b'"\xff"',
    b'"\xed\xa0\x80"',
    b'"../../../etc/passwd"',
    b'"' + b"x" * 400 + b'"',
    b'"' + b"x" * 30_000 + b'"',
    b'"' + "é🙂".encode() * 200 + b'"',
)  # fmt: skip
SHAPES = (
    b"null",
    b"true",
    b"[]",
    b"{}",
    b"[" * 30_000 + b"]" * 30_000,
    b'{"a":' * 30_000 + b"1" + b"}" * 30_000,
    b"[" * 100_000,
    b"[" + b"0," * 30_000 + b"0]",
)
ANYTHING = (*NUMBERS, *TEXTS, *SHAPES)
"""Written into a document as they are; some make it no JSON at all."""


def spoiled(samples: Sequence[Any], keep: Collection[str] = ()) -> st.SearchStrategy[bytes]:
    """One of the samples as JSON, with a few values replaced by what is nasty of their kind, or
    of any; seldom with a key doubled, one too many, the end missing, or another byte in it.

    Values under a key of `keep` stay.
    """
    return st.sampled_from(samples).flatmap(lambda sample: _spoiled(sample, keep))


def places(value: Any, keep: Collection[str] = (), at: tuple[Any, ...] = ()) -> list[Any]:
    """The way to every value within a document, with the value."""
    inner: Any = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list | tuple):
        inner = enumerate(value)
    found: list[Any] = []
    for key, each in inner:
        if key not in keep:
            found += [((*at, key), each), *places(each, keep, (*at, key))]
    return found


def _spoiled(sample: Any, keep: Collection[str]) -> st.SearchStrategy[bytes]:
    within = places(sample, keep)
    if not within:
        return st.just(msgspec.json.encode(sample))
    of_its_kind = st.sampled_from(within).flatmap(
        lambda place: st.tuples(st.just(place[0]), st.sampled_from(_of_kind(place[1])))
    )
    of_any = st.tuples(st.sampled_from([way for way, _ in within]), st.sampled_from(ANYTHING))
    written = st.one_of(
        st.lists(of_its_kind, min_size=1, max_size=3), st.lists(of_any, min_size=1, max_size=2)
    ).map(lambda changes: _written(sample, changes))
    odd = st.tuples(written, st.sampled_from(ANYTHING), st.floats(0, 1), st.integers(0, 255))
    return st.one_of(written, written, written, odd.map(lambda all: _odd(*all)))


def _of_kind(value: Any) -> Sequence[bytes]:
    match value:
        case bool() | None:
            return ANYTHING
        case int() | float():
            return NUMBERS
        case str():
            return TEXTS
        case _:
            return SHAPES


def _written(sample: Any, changes: list[tuple[tuple[Any, ...], bytes]]) -> bytes:
    document = sample
    for number, (way, _) in enumerate(changes):
        document = _changed(document, way, f"@{number}@")
    data = msgspec.json.encode(document)
    for number, (_, value) in enumerate(changes):
        data = data.replace(f'"@{number}@"'.encode(), value)
    return data


def _changed(value: Any, way: tuple[Any, ...], to: Any) -> Any:
    if not way or not isinstance(value, dict | list | tuple):
        return to
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[way[0]] = _changed(copy[way[0]], way[1:], to)
    return copy


def _odd(data: bytes, value: bytes, where: float, what: int) -> bytes:
    at = int(len(data) * where)
    match what % 4:
        case 0:
            return data[:at]
        case 1:
            return data[:at] + bytes([what]) + data[at + 1 :]
        case 2:
            return data[:1] + b'"nobody knows":' + value + b"," + data[1:]
        case _:
            key = data[1 : data.find(b":") + 1]
            return data[:1] + key + value + b"," + data[1:]
