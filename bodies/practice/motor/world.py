"""The world: land, the bot, the neighbour and what was said, at one tick.

Pure: `passed` gives the world one tick later. What happened on the way is in `happenings`, until
the motor takes it out.
"""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from bodies.practice.motor import neighbour
from bodies.practice.motor.bot import Bot, Hurt, lived, respawned
from bodies.practice.motor.hours import is_night
from bodies.practice.motor.land import Land, standing_place
from bodies.practice.motor.terrain import Spot

_LINES_KEPT = 16


class Line(Struct, frozen=True):
    """One line of chat."""

    tick: int
    player: str
    text: str


class Happening(Struct, frozen=True):
    """Something that a connected player is told of at once."""

    tick: int
    type: Literal["chat", "damage", "death", "player_join", "player_leave"]
    data: dict[str, str | int | bool]


class World(Struct, frozen=True):
    """`bot` is None while nobody is connected; then only the tick passes."""

    land: Land
    tick: int = 0
    bot: Bot | None = None
    chat: tuple[Line, ...] = ()
    replies: tuple[tuple[int, str], ...] = ()
    happenings: tuple[Happening, ...] = ()

    @property
    def neighbour(self) -> Spot | None:
        """Where the neighbour is, when online."""
        if not neighbour.is_online(self.tick):
            return None
        return neighbour.where(self.land, self.tick)


def new_world(seed: int) -> World:
    return World(Land(seed))


def entered(world: World, name: str) -> World:
    """The bot appears where newcomers arrive."""
    return replace(world, bot=Bot(name, standing_place(world.land, 0, 0)), chat=())


def left(world: World) -> World:
    return replace(world, bot=None, replies=())


def passed(world: World) -> World:
    """The world one tick later."""
    world = replace(world, tick=world.tick + 1)
    if world.bot is None:
        return world
    return _bot_lives(_neighbour_lives(world))


def said(world: World, player: str, text: str) -> World:
    """A line in the chat; the neighbour will answer the bot when within earshot."""
    line = Line(world.tick, player, text)
    chat = (*world.chat, line)[-_LINES_KEPT:]
    world = _happened(replace(world, chat=chat), "chat", player=player, text=text)
    bot, other = world.bot, world.neighbour
    if bot is None or player != bot.name or other is None:
        return world
    if other.distance(bot.spot) > neighbour.EARSHOT:
        return world
    answer = neighbour.reply(world.land.seed, world.tick, player)
    return replace(world, replies=(*world.replies, answer))


def _neighbour_lives(world: World) -> World:
    online = neighbour.is_online(world.tick)
    if online != neighbour.is_online(world.tick - 1):
        kind = "player_join" if online else "player_leave"
        world = _happened(world, kind, player=neighbour.NAME)
    if not online:
        return world
    text = neighbour.remark(world.land.seed, world.tick)
    if text is not None:
        world = said(world, neighbour.NAME, text)
    due = [text for tick, text in world.replies if tick <= world.tick]
    if due:
        later = tuple(reply for reply in world.replies if reply[0] > world.tick)
        world = replace(world, replies=later)
        for text in due:
            world = said(world, neighbour.NAME, text)
    return world


def _bot_lives(world: World) -> World:
    bot = world.bot
    if bot is None:
        return world
    if bot.health == 0:
        spot = standing_place(world.land, 0, 0)
        return replace(world, bot=respawned(bot, spot, world.tick))
    in_danger = is_night(world.tick) and not world.land.is_covered(bot.spot)
    bot, hurt = lived(bot, world.land.seed, world.tick, in_danger=in_danger)
    return _told(replace(world, bot=bot), bot, hurt)


def _told(world: World, bot: Bot, hurt: Hurt | None) -> World:
    if hurt is None:
        return world
    world = _happened(
        world, "damage", player=bot.name, amount=hurt.amount, cause=hurt.cause, health=bot.health
    )
    if bot.health == 0:
        world = _happened(world, "death", player=bot.name, cause=hurt.cause)
    return world


def _happened(
    world: World,
    kind: Literal["chat", "damage", "death", "player_join", "player_leave"],
    **data: str | int | bool,
) -> World:
    return replace(world, happenings=(*world.happenings, Happening(world.tick, kind, data)))
