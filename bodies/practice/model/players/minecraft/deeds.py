"""Deeds: the actions of the catalogue as the rules use them, each with the thought behind it."""

from __future__ import annotations

from msgspec import Struct

from bodies.practice.model.players.minecraft.surroundings import Spot

CHAT_CHARACTERS = 256
WIDE, HIGH = 30_000_000, 2_032
"""How far a place may be from the middle, in blocks."""


class Action(Struct, frozen=True, kw_only=True):
    """The action's own fields of the answer; null where they are another action's."""

    action: str | None = None
    text: str | None = None
    x: int | None = None
    y: int | None = None
    z: int | None = None
    tolerance: float | None = None
    player: str | None = None
    distance: float | None = None
    item: str | None = None
    count: int | None = None


class Deed(Struct, frozen=True):
    """An action with its reason. `told` is how the prompt words it; `noted` goes into the notes."""

    action: Action
    told: str
    thought: str
    intent: str
    noted: str | None = None


def wait(thought: str) -> Deed:
    return Deed(Action(), "wait", thought, "Wait a little and look again.")


def say(text: str, thought: str, noted: str | None = None) -> Deed:
    text = text[:CHAT_CHARACTERS]
    action = Action(action="chat", text=text)
    return Deed(action, f'say "{text}"', thought, "Say something friendly in the chat.", noted)


def go(spot: Spot, tolerance: int, thought: str, purpose: str) -> Deed:
    x, y, z = spot
    action = Action(action="goto", x=x, y=y, z=z, tolerance=tolerance)
    told = f"go to {_place(spot)}, within {tolerance}"
    return Deed(action, told, thought, f"Go to {_place(spot)} {purpose}")


def follow(player: str, distance: int, thought: str) -> Deed:
    action = Action(action="follow", player=player, distance=distance)
    told = f"follow {player}, within {distance}"
    return Deed(action, told, thought, f"Follow {player[:40]} for a while.")


def dig(spot: Spot, block: str, thought: str) -> Deed:
    x, y, z = spot
    action = Action(action="dig", x=x, y=y, z=z)
    return Deed(action, f"dig at {_place(spot)}", thought, f"Dig {block[:40]} at {_place(spot)}.")


def craft(item: str, count: int, thought: str) -> Deed:
    action = Action(action="craft", item=item, count=count)
    return Deed(action, f"craft {count} {item}", thought, f"Craft {count} {item}.")


def place(item: str, spot: Spot, thought: str) -> Deed:
    x, y, z = spot
    action = Action(action="place", x=x, y=y, z=z, item=item)
    told = f"place {item} at {_place(spot)}"
    return Deed(action, told, thought, f"Place {item} at {_place(spot)}.")


def within_the_world(spot: Spot) -> bool:
    x, y, z = spot
    return abs(x) <= WIDE and abs(y) <= HIGH and abs(z) <= WIDE


def _place(spot: Spot) -> str:
    return f"({spot[0]},{spot[1]},{spot[2]})"
