"""Doing: how each action plays out, a tick at a time.

Pure: `proceed` gives the world and the action one tick on, or the ending of the action.
"""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from bodies.practice.motor import proof
from bodies.practice.motor.bot import Bot
from bodies.practice.motor.hours import TICKS_PER_SECOND
from bodies.practice.motor.land import plan
from bodies.practice.motor.luck import Luck, takes_effect
from bodies.practice.motor.materials import (
    PLACEABLE,
    RECIPES,
    REPLACEABLE,
    UNDIGGABLE,
    Inventory,
    digging_ticks,
    falling_from,
    with_items,
)
from bodies.practice.motor.neighbour import NAME
from bodies.practice.motor.proof import Before, all_agree, spot_of
from bodies.practice.motor.terrain import FLOOR, Spot
from bodies.practice.motor.wire import (
    Action,
    ActionState,
    Build,
    Chat,
    Check,
    Craft,
    Dig,
    Follow,
    Goto,
    Place,
    Placement,
    Reason,
)
from bodies.practice.motor.world import World, said
from bodies.practice.world.chance import roll

ARM = 4.5
"""Blocks that a bot reaches from where it stands."""
_PLACING = 2
_BUILDING = 4
_CRAFTING = 4
_SPEAKING = 2
_KEEPS_UP = 3 * TICKS_PER_SECOND
_FOLLOWS = 60 * TICKS_PER_SECOND
_TABLE_REACH = 4
_WITHHELD = "(withheld by the server)"
_SIDES = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))


class Doing(Struct, frozen=True):
    """An action under way: the steps still to walk, and until when hands or mouth are busy."""

    action: Action
    luck: Luck
    was: Before
    way: tuple[Spot, ...] = ()
    busy_until: int | None = None
    built: int = 0


class Ending(Struct, frozen=True):
    """How an action ended; without a reason, the checks tell what it came to."""

    state: ActionState
    checks: tuple[Check, ...] = ()
    reason: Reason | None = None


Next = tuple[World, Doing | Ending]


def begun(world: World, bot: Bot, action: Action, luck: Luck) -> Doing:
    return Doing(action, luck, proof.before(world, bot, action))


def proceed(world: World, bot: Bot, doing: Doing) -> Next:
    """One tick of the action."""
    match doing.action:
        case Chat(text):
            return _speak(world, bot, doing, text)
        case Goto(position, tolerance):
            return _go(world, bot, doing, spot_of(position), tolerance)
        case Follow(player, distance):
            return _follow(world, bot, doing, player, distance)
        case Dig(position):
            return _dig(world, bot, doing, spot_of(position))
        case Craft(item, count):
            return _craft(world, bot, doing, item, count)
        case Place(position, item):
            return _place(world, bot, doing, (Placement(position, item),), _PLACING)
        case Build(placements):
            return _place(world, bot, doing, placements, _BUILDING)


def cancelled(world: World, bot: Bot, doing: Doing) -> Ending:
    """The ending of an action that is given up half-way."""
    compared = proof.checks(world, bot, doing.action, doing.was)
    if compared and (all_agree(compared) or roll(2, "seen", world.land.seed, world.tick)):
        return Ending("cancelled", compared)
    return Ending("cancelled", reason="interrupted")


def _speak(world: World, bot: Bot, doing: Doing, text: str) -> Next:
    if doing.busy_until is None:
        return world, _busy(world, doing, _SPEAKING)
    if world.tick < doing.busy_until:
        return world, doing
    if doing.luck == "undone":
        return _settled(said(world, bot.name, _WITHHELD), doing)
    stays = takes_effect(doing.luck, world.land.seed, world.tick)
    return _settled(said(world, bot.name, text) if stays else world, doing)


def _go(world: World, bot: Bot, doing: Doing, target: Spot, tolerance: float) -> Next:
    if target.distance(bot.spot) > tolerance:
        return _walk(world, bot, doing, target, lambda spot: spot.distance(target) <= tolerance)
    return _settled(_put_back(world, bot, doing), doing)


def _follow(world: World, bot: Bot, doing: Doing, player: str, distance: float) -> Next:
    target = world.neighbour
    if target is None or player != NAME:
        return world, Ending("failed", reason="not_observed")
    if world.tick - doing.was.tick >= _FOLLOWS:
        return _settled(world, doing)
    if target.distance(bot.spot) > distance:
        fresh = replace(doing, busy_until=None)
        if world.tick % TICKS_PER_SECOND == 0:
            fresh = replace(fresh, way=())
        return _walk(world, bot, fresh, target, lambda spot: spot.distance(target) <= distance)
    if doing.busy_until is None:
        return world, _busy(world, doing, _KEEPS_UP)
    if world.tick < doing.busy_until:
        return world, doing
    return _settled(_put_back(world, bot, doing), doing)


def _dig(world: World, bot: Bot, doing: Doing, target: Spot) -> Next:
    block = world.land.block(target)
    if block in UNDIGGABLE:
        return _given_up(world, bot, doing)
    if target.distance(bot.spot) > ARM:
        return _walk(world, bot, doing, target, lambda spot: spot.distance(target) <= ARM)
    if doing.busy_until is None:
        return world, _busy(world, doing, digging_ticks(block, bot.inventory))
    if world.tick < doing.busy_until:
        return world, doing
    if takes_effect(doing.luck, world.land.seed, world.tick):
        fallen = falling_from(block, bot.inventory, world.land.seed, *target)
        inventory = bot.inventory if fallen is None else with_items(bot.inventory, {fallen: 1})
        land = world.land.with_block(target, "air")
        world = _dropped(replace(world, land=land), replace(bot, inventory=inventory))
    return _settled(world, doing)


def _craft(world: World, bot: Bot, doing: Doing, item: str, count: int) -> Next:
    inventory = _after_crafting(world, bot, item, count)
    if inventory is None:
        return _given_up(world, bot, doing)
    if doing.busy_until is None:
        rounds = proof.crafted(item, count) // RECIPES[item].makes
        return world, _busy(world, doing, _CRAFTING * rounds)
    if world.tick < doing.busy_until:
        return world, doing
    if takes_effect(doing.luck, world.land.seed, world.tick):
        world = replace(world, bot=replace(bot, inventory=inventory))
    return _settled(world, doing)


def _place(
    world: World, bot: Bot, doing: Doing, placements: tuple[Placement, ...], ticks: int
) -> Next:
    wanted = placements[doing.built]
    target = spot_of(wanted.position)
    rest = with_items(bot.inventory, {wanted.item: -1})
    if rest is None or not _can_place(world, bot, target, wanted.item):
        return _given_up(world, bot, doing)
    if target.distance(bot.spot) > ARM:
        return _walk(
            world,
            bot,
            doing,
            target,
            lambda spot: spot.distance(target) <= ARM and not _fills(target, spot),
        )
    if doing.busy_until is None:
        return world, _busy(world, doing, ticks)
    if world.tick < doing.busy_until:
        return world, doing
    is_last = doing.built + 1 == len(placements)
    if not is_last or takes_effect(doing.luck, world.land.seed, world.tick):
        land = world.land.with_block(target, wanted.item)
        world = replace(world, land=land, bot=replace(bot, inventory=rest))
    if is_last:
        return _settled(world, doing)
    return world, replace(doing, built=doing.built + 1, busy_until=None)


def _walk(
    world: World, bot: Bot, doing: Doing, target: Spot, arrived: Callable[[Spot], bool]
) -> Next:
    """One step; the way is planned when there is none or something stands in it."""
    way = doing.way
    if not way or not world.land.can_stand(way[0]):
        planned = plan(world.land, bot.spot, target, arrived)
        if not planned:
            return _given_up(world, bot, doing)
        way = planned
    moved = replace(world, bot=replace(bot, spot=way[0]))
    return moved, replace(doing, way=way[1:])


def _given_up(world: World, bot: Bot, doing: Doing) -> Next:
    """It cannot be done. When the world is as wanted all the same, it is."""
    compared = proof.checks(world, bot, doing.action, doing.was)
    if not compared:
        return world, Ending("failed", reason="not_observed")
    return world, Ending("completed" if all_agree(compared) else "failed", compared)


def _settled(world: World, doing: Doing) -> Next:
    match doing.luck:
        case "kept" | "undone":
            bot = world.bot
            compared = () if bot is None else proof.checks(world, bot, doing.action, doing.was)
            return world, Ending("completed", compared)
        case "not_observed":
            return world, Ending("uncertain", reason=doing.luck)
        case _:
            return world, Ending("completed", reason=doing.luck)


def _put_back(world: World, bot: Bot, doing: Doing) -> World:
    """The server may put a walker back to where the walk began."""
    if takes_effect(doing.luck, world.land.seed, world.tick):
        return world
    return replace(world, bot=replace(bot, spot=doing.was.spot))


def _busy(world: World, doing: Doing, ticks: int) -> Doing:
    return replace(doing, busy_until=world.tick + max(1, ticks))


def _after_crafting(world: World, bot: Bot, item: str, count: int) -> Inventory | None:
    recipe = RECIPES.get(item)
    if recipe is None or (recipe.at_table and not _table_near(world, bot.spot)):
        return None
    made = proof.crafted(item, count)
    changes = {need: -amount * (made // recipe.makes) for need, amount in recipe.needs.items()}
    return with_items(bot.inventory, {**changes, item: made})


def _table_near(world: World, spot: Spot) -> bool:
    return any(
        block == "crafting_table" and place.distance(spot) <= _TABLE_REACH
        for place, block in world.land.changes.items()
    )


def _can_place(world: World, bot: Bot, target: Spot, item: str) -> bool:
    land = world.land
    other = world.neighbour
    return (
        item in PLACEABLE
        and land.block(target) in REPLACEABLE
        and any(land.is_solid(target.moved(*side)) for side in _SIDES)
        and not _fills(target, bot.spot)
        and not (other is not None and _fills(target, other))
    )


def _fills(target: Spot, feet: Spot) -> bool:
    return target in (feet, feet.moved(0, 1, 0))


def _dropped(world: World, bot: Bot) -> World:
    """The bot falls when it dug the ground away from under its feet."""
    spot = bot.spot
    while world.land.is_open(spot.moved(0, -1, 0)) and spot.y > FLOOR:
        spot = spot.moved(0, -1, 0)
    return replace(world, bot=replace(bot, spot=spot))
