"""Which of the public motor's tools do an action, and with which arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bodies.minecraft import wire
from bodies.minecraft.motor.motor import MotorTrouble


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call."""

    tool: str
    arguments: dict[str, Any]


def calls_for(action: wire.Action) -> tuple[ToolCall, ...]:
    """The calls that do this action, one after the other.

    Raises MotorTrouble for what this motor cannot do: nothing near to it is done instead. It digs
    the next block of a name and tells no block's place; it builds only by commands that need an
    operator's rights; a chat line that begins with a slash is a command.
    """
    match action:
        case wire.Chat(text):
            if text.startswith("/"):
                raise MotorTrouble("a line that begins with / is a command, which is not chat")
            return (ToolCall("sendChat", {"message": text}),)
        case wire.Goto(position):
            return (walk(position),)
        case wire.Follow(player, distance):
            arguments = {"userName": player, "distance": distance, "keepFollowing": False}
            return (ToolCall("goToSomeone", arguments),)
        case wire.Craft(item, count):
            return (ToolCall("craftItems", {"item": item, "count": count}),)
        case wire.Place(position, item):
            return (walk(position), ToolCall("placeItemNearYou", {"itemName": item}))
        case wire.Dig():
            raise MotorTrouble("this motor digs by a block's name and not at a place")
        case wire.Build():
            raise MotorTrouble("this motor does not build; place the blocks one by one")


def walk(position: wire.BlockPosition) -> ToolCall:
    """A walk to a place. The motor ends the walk that it is on for it."""
    return ToolCall("goToKnownLocation", {"x": position.x, "y": position.y, "z": position.z})
