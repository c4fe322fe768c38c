"""Proof: what the world shows of an action, set against what the action was to bring about."""

from collections.abc import Iterable

from msgspec import Struct

from bodies.practice.motor.bot import Bot
from bodies.practice.motor.materials import RECIPES
from bodies.practice.motor.neighbour import NAME
from bodies.practice.motor.terrain import Spot
from bodies.practice.motor.wire import (
    Action,
    BlockCheck,
    BlockPosition,
    Build,
    Chat,
    ChatCheck,
    Check,
    Craft,
    Dig,
    Follow,
    Goto,
    InventoryCheck,
    Place,
    Position,
    PositionCheck,
)
from bodies.practice.motor.world import World


class Before(Struct, frozen=True):
    """What has to be remembered from the moment of the request."""

    tick: int
    spot: Spot
    count: int
    """How many of the item to be crafted were at hand."""


def before(world: World, bot: Bot, action: Action) -> Before:
    count = bot.inventory.get(action.item, 0) if isinstance(action, Craft) else 0
    return Before(world.tick, bot.spot, count)


def checks(world: World, bot: Bot, action: Action, was: Before) -> tuple[Check, ...]:
    """Everything that can be compared now; nothing when there is nothing to look at."""
    match action:
        case Chat(text):
            return tuple(
                ChatCheck(bot.name, text, line.text)
                for line in world.chat
                if line.player == bot.name and line.tick >= was.tick
            )[-1:]
        case Goto(position, tolerance):
            return (
                PositionCheck(
                    bot.name, position_of(spot_of(position)), position_of(bot.spot), tolerance
                ),
            )
        case Follow(player, distance):
            other = world.neighbour
            if other is None or player != NAME:
                return ()
            return (PositionCheck(bot.name, position_of(other), position_of(bot.spot), distance),)
        case Dig(position):
            return (_block(world, position, "air"),)
        case Place(position, item):
            return (_block(world, position, item),)
        case Build(placements):
            return tuple(_block(world, each.position, each.item) for each in placements)
        case Craft(item, count):
            expected = was.count + crafted(item, count)
            return (InventoryCheck(item, expected, bot.inventory.get(item, 0)),)


def crafted(item: str, count: int) -> int:
    """How many there will be: whole rounds of the recipe, at least as many as asked for."""
    recipe = RECIPES.get(item)
    return count if recipe is None else -(-count // recipe.makes) * recipe.makes


def all_agree(compared: Iterable[Check]) -> bool:
    return all(check.agrees for check in compared)


def position_of(spot: Spot) -> Position:
    return Position(float(spot.x), float(spot.y), float(spot.z))


def spot_of(position: BlockPosition) -> Spot:
    return Spot(position.x, position.y, position.z)


def _block(world: World, position: BlockPosition, expected: str) -> BlockCheck:
    return BlockCheck(position, expected, world.land.block(spot_of(position)))
