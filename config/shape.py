"""Compares a table read from TOML with the struct that it should become, naming every difference.

msgspec stops at the first difference; an operator wants them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

import msgspec

from config.finding import KeyPath, Problem, nearest


def differences(value: object, kind: Any, key: KeyPath = ()) -> Iterator[Problem]:
    """Every reason why `value` is not a `kind`; none means that `msgspec.convert` accepts it."""
    kind = _alternative(kind, value)
    bare = _bare(kind)
    if _is_struct(bare):
        yield from _table_differences(value, bare, key)
    elif isinstance(bare, tuple):
        yield from _tagged_differences(value, cast("tuple[Any, ...]", bare), key)
    elif get_origin(bare) is dict:
        yield from _named_differences(value, bare, key)
    elif get_origin(bare) in (tuple, frozenset) and isinstance(value, list):
        items = cast("list[object]", value)
        problems = [
            problem
            for index, item in enumerate(items)
            for problem in differences(item, get_args(bare)[0], (*key, index))
        ]
        yield from problems or _plain_differences(items, kind, key)
    else:
        yield from _plain_differences(value, kind, key)


def _table_differences(value: object, struct: Any, key: KeyPath) -> Iterator[Problem]:
    table = _table(value)
    if table is None:
        yield Problem(key, f"expected a table, found {_found(value)}")
        return
    fields = _fields(struct)
    tag_field = struct.__struct_config__.tag_field
    known = [*fields, *([tag_field] if tag_field else [])]
    for name, item in table.items():
        if name in fields:
            yield from differences(item, fields[name].type, (*key, name))
        elif name != tag_field:
            yield Problem((*key, name), "no such key", nearest(name, known, "key"))
    for name, field in fields.items():
        if field.required and name not in table:
            yield Problem((*key, name), "is missing", f"expected {_wanted(field.type)}")


def _tagged_differences(value: object, structs: tuple[Any, ...], key: KeyPath) -> Iterator[Problem]:
    table = _table(value)
    if table is None:
        yield Problem(key, f"expected a table, found {_found(value)}")
        return
    by_tag = {struct.__struct_config__.tag: struct for struct in structs}
    tag_field = structs[0].__struct_config__.tag_field
    tag = table.get(tag_field)
    if tag_field not in table:
        yield Problem((*key, tag_field), "is missing", f"one of {', '.join(by_tag)}")
    elif isinstance(tag, str) and tag in by_tag:
        yield from _table_differences(table, by_tag[tag], key)
    else:
        yield _not_one_of(tag, list(by_tag), (*key, tag_field))


def _named_differences(value: object, kind: Any, key: KeyPath) -> Iterator[Problem]:
    table = _table(value)
    if table is None:
        yield Problem(key, f"expected a table, found {_found(value)}")
        return
    name_kind, item_kind = get_args(kind)
    for name, item in table.items():
        yield from _plain_differences(name, name_kind, (*key, name))
        yield from differences(item, item_kind, (*key, name))


def _plain_differences(value: object, kind: Any, key: KeyPath) -> Iterator[Problem]:
    try:
        msgspec.convert(value, kind)
        return
    except msgspec.ValidationError:
        pass
    choices = _choices(_bare(kind))
    if choices:
        yield _not_one_of(value, choices, key)
    elif isinstance(value, str) and _bare(kind) is str:
        yield Problem(key, f"is not {_wanted(kind)}")
    else:
        yield Problem(key, f"expected {_wanted(kind)}, found {_found(value)}")


def _not_one_of(value: object, choices: list[str], key: KeyPath) -> Problem:
    if not isinstance(value, str):
        return Problem(key, f"expected one of {', '.join(choices)}, found {_found(value)}")
    return Problem(key, f"is not one of {', '.join(choices)}", _close_choice(value, choices))


def _close_choice(value: str, choices: list[str]) -> str | None:
    hint = nearest(value, choices, "choice")
    return hint if hint.startswith("did you mean") else None


def _table(value: object) -> dict[str, object] | None:
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


@cache
def _fields(struct: Any) -> Mapping[str, msgspec.structs.FieldInfo]:
    return {field.encode_name: field for field in msgspec.structs.fields(struct)}


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _alternative(kind: Any, value: object) -> Any:
    """The member of `A | None` that is not None; of a list or a string, the one that is meant."""
    if get_origin(kind) not in (Union, UnionType):
        return kind
    members = [member for member in get_args(kind) if member is not NoneType]
    if len(members) == 1:
        return members[0]
    lists = [member for member in members if get_origin(_bare(member)) is tuple]
    if not lists:
        return kind
    others = [member for member in members if member not in lists]
    return lists[0] if isinstance(value, list) else others[0]


def _bare(kind: Any) -> Any:
    """The type without its constraints; for a union of structs the tuple of them."""
    if get_origin(kind) is Annotated:
        return get_args(kind)[0]
    if get_origin(kind) in (Union, UnionType):
        members = get_args(kind)
        if all(_is_struct(member) for member in members):
            return members
    return kind


def _choices(kind: Any) -> list[str]:
    """The words of a literal, or of a union of literals."""
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    if get_origin(kind) in (Union, UnionType):
        return [word for member in get_args(kind) for word in _choices(member)]
    return []


def _wanted(kind: Any) -> str:
    if get_origin(kind) in (Union, UnionType) and not _choices(kind):
        members = [member for member in get_args(kind) if member is not NoneType]
        return " or ".join(_wanted(member) for member in members)
    if get_origin(kind) is Annotated:
        for meta in get_args(kind)[1:]:
            if meta.description:
                return meta.description
    bare = _bare(kind)
    if choices := _choices(bare):
        return f"one of {', '.join(choices)}"
    if _is_struct(bare):
        return "a table"
    if get_origin(bare) in (tuple, frozenset):
        return "a list"
    return {bool: "true or false", str: "a string"}.get(bare, "a number")


def _found(value: object) -> str:
    """The value's kind, and its amount for a number; never a string's text, which may be secret."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"{value}" if -1e18 < value < 1e18 else "a number out of range"
        case str():
            return "a string"
        case list():
            return "a list"
        case dict():
            return "a table"
        case _:
            return "a date or time"
