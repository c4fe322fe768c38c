"""Moves: the actions of the catalogue as the rules use them, each with the thought behind it."""

from __future__ import annotations

from msgspec import Struct

from bodies.practice.model.players.minecraft.surroundings import Spot

LONGEST_CHAT = 256
LONGEST_NAME = 256
MOST_PLACEMENTS = 64
WIDE, HIGH = 30_000_000, 2_032
"""How far a place may be from the middle, in blocks."""


class Placement(Struct, frozen=True):
    x: int
    y: int
    z: int
    item: str


class Action(Struct, frozen=True, kw_only=True):
    """The action's own fields of the flat answer; null where they are another action's."""

    action: str | None = None
    text: str | None = None
    x: int | None = None
    y: int | None = None
    z: int | None = None
    tolerance: int | None = None
    player: str | None = None
    distance: int | None = None
    item: str | None = None
    count: int | None = None
    placements: tuple[Placement, ...] | None = None


class Move(Struct, frozen=True):
    """An action with its reason. `told` is how the prompt words it once it was played."""

    action: Action
    told: str
    thought: str
    intent: str


def is_allowed(move: Move) -> bool:
    """Whether every place is within the world and every name within its bounds."""
    action = move.action
    places = [(action.x or 0, action.y or 0, action.z or 0)]
    places += [(each.x, each.y, each.z) for each in action.placements or ()]
    return (action.player is None or 1 <= len(action.player) <= LONGEST_NAME) and all(
        abs(x) <= WIDE and abs(y) <= HIGH and abs(z) <= WIDE for x, y, z in places
    )


def wait(thought: str) -> Move:
    return Move(Action(), "wait", thought, "Wait and look again.")


def say(text: str, thought: str) -> Move:
    words = text[:LONGEST_CHAT]
    return Move(Action(action="chat", text=words), f'say "{words}"', thought, "Say something.")


def go(to: Spot, tolerance: int, thought: str, purpose: str) -> Move:
    action = Action(action="goto", x=to.x, y=to.y, z=to.z, tolerance=tolerance)
    return Move(action, f"go to {to}, within {tolerance}", thought, f"Go to {to} {purpose}")


def follow(player: str, distance: int, thought: str) -> Move:
    action = Action(action="follow", player=player, distance=distance)
    told = f"follow {player}, within {distance}"
    return Move(action, told, thought, f"Follow {player[:60]} for a while.")


def dig(at: Spot, block: str, thought: str) -> Move:
    action = Action(action="dig", x=at.x, y=at.y, z=at.z)
    return Move(action, f"dig at {at}", thought, f"Dig the {block[:60]} at {at}.")


def craft(item: str, count: int, thought: str) -> Move:
    action = Action(action="craft", item=item, count=count)
    return Move(action, f"craft {count} {item}", thought, f"Craft {count} {item}.")


def place(at: Spot, item: str, thought: str) -> Move:
    action = Action(action="place", x=at.x, y=at.y, z=at.z, item=item)
    return Move(action, f"place {item} at {at}", thought, f"Place the {item} at {at}.")


def build(spots: list[Spot], item: str, thought: str, purpose: str) -> Move:
    """At least one spot, in the order in which they are put."""
    placements = tuple(Placement(*spot, item) for spot in spots[:MOST_PLACEMENTS])
    told = f"build {len(placements)} blocks from {spots[0]}"
    return Move(Action(action="build", placements=placements), told, thought, purpose)
