"""The comparison that names every difference agrees with msgspec on what is right."""

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from config.settings import Settings
from config.shape import differences

RIGHT: dict[str, Any] = {
    "state_directory": "/s",
    "limits": {"stop_deadline": 15, "lease_ttl": 60.5},
    "models": {
        "m": {
            "provider": "openai",
            "model": "m",
            "price": {"input": 1, "cache_read": 0, "cache_write": 1.5, "output": 2},
            "images": True,
        }
    },
    "personas": {"p": {"file": "p.txt"}},
    "seats": {
        "misty": {
            "body": "pokemon",
            "model": "m",
            "address": "ws://x",
            "game": "emerald",
            "display_name": "M",
            "restart": ["hung"],
            "budget": {"tokens": 0, "dollars": 0},
        },
        "alex": {
            "body": "minecraft",
            "model": "m",
            "motor": ["a", "b"],
            "profile": {"id": "p", "host": "h", "version": "1", "username": "A"},
        },
        "bob": {
            "body": "minecraft",
            "model": "m",
            "motor": "http://127.0.0.1/",
            "profile": {"id": "p", "host": "h", "version": "1", "username": "A", "port": 1},
        },
    },
    "worlds": {"w": {"check": ["a"], "start": ["b", ""]}},
    "rooms": {
        "c": {"kind": "control", "principals": ["anyone", "uid:0"]},
        "w": {"kind": "webhook", "url": "https://x", "secret": "file:s"},
        "l": {"kind": "log"},
    },
    "grants": [{"principal": "group:g", "verbs": ["*", "join"], "seats": ["*"]}],
}

odd = st.sampled_from(
    [
        True,
        0,
        -1,
        1,
        16.5,
        float("nan"),
        10**400,
        "",
        "m",
        "*",
        "\x00",
        "a" * 300,
        [],
        {},
        [1],
        ["join"],
        {"x": 1},
        {"kind": "log"},
        {"body": "pokemon"},
        ["a"] * 65,
    ]
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if not isinstance(value, (dict, list)):
        return [path]
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], to: Any) -> Any:
    if not path:
        return to
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(copy[path[0]], path[1:], to)
    return copy


def without(value: Any, path: tuple[Any, ...]) -> Any:
    copy = dict(value) if isinstance(value, dict) else list(value)
    if len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = without(copy[path[0]], path[1:])
    return copy


def agrees(table: Any) -> None:
    found = list(differences(table, Settings))
    try:
        msgspec.convert(table, Settings)
    except msgspec.ValidationError:
        assert found
    else:
        assert not found


def test_a_right_table_has_no_difference():
    assert not list(differences(RIGHT, Settings))
    msgspec.convert(RIGHT, Settings)


def test_without_any_one_value_both_agree():
    for place in places(RIGHT)[1:]:
        agrees(without(RIGHT, place))


def test_with_a_key_that_nobody_knows_in_any_table_both_agree():
    for place in places(RIGHT):
        table = RIGHT
        for part in place:
            table = table[part]
        if isinstance(table, dict):
            agrees(changed(RIGHT, place, {**table, "unknown key": 1}))


@given(st.lists(st.tuples(st.sampled_from(places(RIGHT)), odd), min_size=1, max_size=3))
@settings(max_examples=500, deadline=None)
def test_with_any_values_replaced_both_agree(changes: list[tuple[tuple[Any, ...], Any]]):
    table: Any = RIGHT
    for place, to in changes:
        if place in places(table):
            table = changed(table, place, to)
    if isinstance(table, dict):
        agrees(table)
