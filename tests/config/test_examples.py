"""The example files load, and playd.toml shows every setting there is, with its true default."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

import msgspec
import pytest
import tomli

import config
from config.check import check_config
from config.loading import load_settings
from config.settings import PokemonSeat, Settings
from config.shape import differences

EXAMPLES = Path(config.__file__).parent / "examples"
WHOLE = (EXAMPLES / "playd.toml").read_text()
SAID = re.compile(r"^# (?=[a-z_]+ = |\[)", re.MULTILINE)


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.toml")), ids=lambda file: file.name)
def test_an_example_loads_and_has_no_errors(file: Path):
    load_settings(file)
    errors = [item for item in check_config(file, {}) if item.severity == "error"]
    # The demo's credential is written by script/demo, in a folder of its own.
    assert [item.key for item in errors if item.key != "seats.demo.credential"] == []


def test_what_the_example_shows_as_a_remark_is_right_too():
    assert list(differences(tomli.loads(SAID.sub("", WHOLE)), Settings)) == []


def test_the_example_shows_every_setting():
    shown = set(keys_shown(tomli.loads(SAID.sub("", WHOLE)), Settings))
    assert set(keys_known(Settings)) - shown == set()


def test_what_the_example_shows_as_a_default_is_the_default():
    with_remarks = tomli.loads(SAID.sub("", WHOLE))
    remarks = {
        match.group(1)
        for match in re.finditer(r"^# ([a-z_]+) = ", WHOLE, re.MULTILINE)
        if not re.search(rf"^{match.group(1)} = ", WHOLE, re.MULTILINE)
    }
    wrong = [
        (key, value, default)
        for key, value, default in values_shown(with_remarks, Settings)
        if key in remarks and default not in (None, msgspec.NODEFAULT) and value != default
    ]
    assert wrong == []
    assert len(remarks) > 15


@pytest.mark.parametrize("file", ["demo.toml", "demo-minecraft.toml"])
def test_a_demo_stays_on_this_host(file: str):
    settings = load_settings(EXAMPLES / file)
    assert all(model.local for model in settings.models.values())
    addresses = [model.endpoint for model in settings.models.values()]
    for seat in settings.seats.values():
        if isinstance(seat, PokemonSeat):
            addresses.append(seat.address)
        else:
            assert seat.profile.host == "127.0.0.1"
            assert not isinstance(seat.motor, str)
    assert all("://127.0.0.1:" in address for address in addresses)


def structs(kind: Any) -> list[Any]:
    """The structs that a value of this type may be, looked for inside names, lists and unions."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return [kind]
    members = get_args(kind)[:1] if get_origin(kind) is Annotated else get_args(kind)
    return [found for member in members if member is not NoneType for found in structs(member)]


def keys_known(kind: Any) -> Iterator[tuple[str, str]]:
    for struct in structs(kind):
        for field in msgspec.structs.fields(struct):
            yield declarer(struct, field.name), field.name
            yield from keys_known(field.type)


def declarer(struct: Any, name: str) -> str:
    """The class that declares a field, so that what all seats share needs showing once."""
    return next(kind.__name__ for kind in struct.__mro__ if name in vars(kind)["__annotations__"])


def values_shown(table: Any, kind: Any) -> Iterator[tuple[str, Any, Any]]:
    for _, field, value in fields_shown(table, kind):
        yield field.name, value, field.default


def keys_shown(table: Any, kind: Any) -> Iterator[tuple[str, str]]:
    for struct, field, _ in fields_shown(table, kind):
        yield declarer(struct, field.name), field.name


def fields_shown(table: Any, kind: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Each field that a table sets, with its struct and value."""
    if get_origin(kind) is dict:
        for item in table.values():
            yield from fields_shown(item, get_args(kind)[1])
    elif isinstance(table, list):
        for item in table:
            yield from fields_shown(item, get_args(kind)[0])
    elif isinstance(table, dict):
        known = structs(kind)
        tag = table.get(known[0].__struct_config__.tag_field or "")
        struct = next(item for item in known if item.__struct_config__.tag == tag)
        for field in msgspec.structs.fields(struct):
            if field.name in table:
                yield struct, field, table[field.name]
                if structs(field.type):
                    yield from fields_shown(table[field.name], field.type)
