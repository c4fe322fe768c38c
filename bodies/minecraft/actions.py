"""The catalogue of actions: what each is called, takes and means, in one table.

In the model's answer an action is flat: the fields of its kind stand beside `action`, a position as
`x`, `y`, `z`. On the wire and in the trail it is the wire's own struct.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

from bodies.minecraft import wire

FieldType = Literal["integer", "number", "string", "placements"]
WIDE = 30_000_000
"""How far a world reaches from its middle, in blocks."""
HIGH = 2_032
"""How far a world reaches up and down, in blocks."""
MANY = 2**31 - 1
"""The most of an item that a number on the wire may ask for."""


@dataclass(frozen=True, slots=True)
class ActionField:
    """A flat field of one kind of action. `low`/`high`: of a number, or of a text's length."""

    name: str
    type: FieldType
    says: str
    low: int = 1
    high: int = 256
    above: bool = False
    """The number must be greater than `low`."""


@dataclass(frozen=True, slots=True)
class ActionKind:
    """One kind of action; it needs all of its fields."""

    name: str
    says: str
    fields: tuple[ActionField, ...]


POSITION = (
    ActionField("x", "integer", "east of the middle, a whole block", -WIDE, WIDE),
    ActionField("y", "integer", "height, a whole block", -HIGH, HIGH),
    ActionField("z", "integer", "south of the middle, a whole block", -WIDE, WIDE),
)
ITEM = ActionField("item", "string", "name of the item, like oak_planks")

CATALOGUE: tuple[ActionKind, ...] = (
    ActionKind(
        "chat",
        "say something that everybody on the server reads",
        (ActionField("text", "string", "1–256 characters", high=wire.CHAT_CHARACTERS),),
    ),
    ActionKind(
        "goto",
        "walk to a place",
        (
            *POSITION,
            ActionField("tolerance", "number", "how near is enough, 0–64 blocks", 0, wire.REACH),
        ),
    ),
    ActionKind(
        "follow",
        "stay near a player",
        (
            ActionField("player", "string", "the player's name"),
            ActionField(
                "distance", "number", "how near, more than 0, at most 64", 0, wire.REACH, True
            ),
        ),
    ),
    ActionKind("dig", "break a block", POSITION),
    ActionKind(
        "craft",
        "make items from what you carry",
        (ITEM, ActionField("count", "integer", "how many, at least 1", high=MANY)),
    ),
    ActionKind("place", "put a block that you carry somewhere", (*POSITION, ITEM)),
    ActionKind(
        "build",
        "put several blocks, one after the other",
        (
            ActionField(
                "placements",
                "placements",
                "1–64 of {x, y, z, item}",
                high=wire.PLACEMENTS,
            ),
        ),
    ),
)


def described(action: wire.Action) -> str:
    """The action in a few words for people."""
    match action:
        case wire.Chat(text):
            return f'say "{text}"'
        case wire.Goto(position, tolerance):
            return f"go to {place(position)}, within {tolerance:g}"
        case wire.Follow(player, distance):
            return f"follow {player}, within {distance:g}"
        case wire.Dig(position):
            return f"dig at {place(position)}"
        case wire.Craft(item, count):
            return f"craft {count} {item}"
        case wire.Place(position, item):
            return f"place {item} at {place(position)}"
        case wire.Build(placements):
            return f"build {len(placements)} blocks from {place(placements[0].position)}"


def payload(action: wire.Action | None) -> msgspec.Raw:
    """The action as the trail records it; null for waiting."""
    return msgspec.Raw(_encoder.encode(action))


def place(position: wire.BlockPosition) -> str:
    """A block's place for people."""
    return f"({position.x},{position.y},{position.z})"


_encoder = msgspec.json.Encoder()
