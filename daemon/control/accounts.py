"""What the log tells of a request that changed something: its values, never a person's words."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import fields

from daemon.control import wire


def only_reads(params: Struct) -> None:
    """The account of a verb that changes nothing."""


def values_of(params: Struct) -> str:
    """What was given beside the seat: `tokens=28000 default`."""
    given: list[str] = []
    for field in fields(params):
        value: object = getattr(params, field.name)
        if field.name == "seat" or value == field.default:
            continue
        match value:
            case Struct():
                given.append(values_of(value))
            case True:
                given.append(field.name)
            case None:
                given.append(f"{field.name}=none")
            case _:
                given.append(f"{field.name}={value}")
    return " ".join(given)


def words_of(params: wire.SayParams) -> str:
    """How much somebody said."""
    return f"{len(params.text)} characters"
