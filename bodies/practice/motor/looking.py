"""Looking: the facts that a bot has about itself and its surroundings, each with its source."""

from collections.abc import Callable, Iterator

from bodies.practice.motor.bot import Bot
from bodies.practice.motor.land import Land
from bodies.practice.motor.neighbour import EARSHOT, NAME
from bodies.practice.motor.proof import position_of
from bodies.practice.motor.terrain import Spot
from bodies.practice.motor.wire import (
    MAX_FACTS,
    BlockFact,
    BlockPosition,
    ChatFact,
    Fact,
    FactSource,
    HealthFact,
    InventoryFact,
    PositionFact,
    SourcedFact,
)
from bodies.practice.motor.world import World

_CLEAR_SIGHT = 4
_SIDEWAYS = 6
_DOWN = 2
_UP = 5
_BLOCKS_SHOWN = 120
_CHAT_SHOWN = 8
_EVERYDAY = frozenset(("grass_block", "dirt", "stone", "sand", "oak_leaves", "bedrock", "water"))
_SIDES = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))


def facts(
    world: World, bot: Bot, at: Callable[[int], str], *, walking: bool
) -> tuple[SourcedFact, ...]:
    """At most 256 facts, the most telling first. `at` writes a tick as an instant."""
    seen = (
        SourcedFact(source, at(tick), fact) for source, tick, fact in _seen(world, bot, walking)
    )
    return tuple(fact for fact, _ in zip(seen, range(MAX_FACTS), strict=False))


def _seen(world: World, bot: Bot, walking: bool) -> Iterator[tuple[FactSource, int, Fact]]:
    now = world.tick
    own: FactSource = "adapter_report" if walking else "server_packet"
    yield own, now, PositionFact(bot.name, position_of(bot.spot))
    yield "server_packet", now, HealthFact(bot.name, float(bot.health), float(bot.food))
    other = world.neighbour
    if other is not None and other.distance(bot.spot) <= EARSHOT:
        yield "server_observer", now, PositionFact(NAME, position_of(other))
    for item, count in sorted(bot.inventory.items()):
        yield "bot_cache", now, InventoryFact(item, count)
    for line in world.chat[-_CHAT_SHOWN:]:
        yield "server_packet", line.tick, ChatFact(line.player, line.text)
    for spot, block, distance in _blocks(world.land, bot.spot):
        position = BlockPosition(*spot)
        if distance <= _CLEAR_SIGHT:
            yield "server_packet", now, BlockFact(position, block)
        else:
            yield "bot_cache", max(0, now - int(distance)), BlockFact(position, block)


def _blocks(land: Land, feet: Spot) -> list[tuple[Spot, str, float]]:
    """Blocks that lie open, the rare ones first and then the near ones."""
    found: list[tuple[bool, float, Spot, str]] = []
    for dx in range(-_SIDEWAYS, _SIDEWAYS + 1):
        for dz in range(-_SIDEWAYS, _SIDEWAYS + 1):
            for dy in range(-_DOWN, _UP + 1):
                spot = feet.moved(dx, dy, dz)
                block = land.block(spot)
                if block != "air" and any(land.is_open(spot.moved(*side)) for side in _SIDES):
                    found.append((block in _EVERYDAY, spot.distance(feet), spot, block))
    found.sort()
    return [(spot, block, distance) for _, distance, spot, block in found[:_BLOCKS_SHOWN]]
