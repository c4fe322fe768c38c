"""The bot's body: health, hunger, what it carries, and how it dies and comes back."""

from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from bodies.practice.motor.hours import TICKS_PER_SECOND
from bodies.practice.motor.materials import FOOD, Inventory, with_items
from bodies.practice.motor.terrain import Spot
from bodies.practice.world.chance import roll

FULL = 20
DEAD_TICKS = 5 * TICKS_PER_SECOND
_HUNGER_EVERY = 40 * TICKS_PER_SECOND
_HEALING_EVERY = 4 * TICKS_PER_SECOND
_DANGER_EVERY = 10 * TICKS_PER_SECOND
_EATS_AT = 14


def _provisions() -> Inventory:
    return {"bread": 3}


class Bot(Struct, frozen=True):
    """`died_at` is the tick of the last death."""

    name: str
    spot: Spot
    health: int = FULL
    food: int = FULL
    inventory: Inventory = field(default_factory=_provisions)
    died_at: int | None = None


class Hurt(Struct, frozen=True):
    amount: int
    cause: Literal["prowler", "hunger"]


def lived(bot: Bot, seed: int, tick: int, *, in_danger: bool) -> tuple[Bot, Hurt | None]:
    """The bot after one tick, and what hurt it. Hunger never kills; the night does."""
    if tick % _HUNGER_EVERY == 0:
        bot = _eaten(replace(bot, food=max(0, bot.food - 1)))
    if tick % _HEALING_EVERY == 0:
        if bot.food >= 18 and bot.health < FULL:
            bot = replace(bot, health=bot.health + 1)
        elif bot.food == 0 and bot.health > 1:
            return replace(bot, health=bot.health - 1), Hurt(1, "hunger")
    if in_danger and tick % _DANGER_EVERY == 0 and roll(3, seed, "prowler", tick) == 0:
        amount = min(bot.health, 3 + roll(3, seed, "bite", tick))
        died_at = tick if amount == bot.health else bot.died_at
        bitten = replace(bot, health=bot.health - amount, died_at=died_at)
        return bitten, Hurt(amount, "prowler")
    return bot, None


def respawned(bot: Bot, spot: Spot, tick: int) -> Bot:
    """A dead bot is back after five seconds, with nothing in its hands."""
    if bot.died_at is not None and tick - bot.died_at < DEAD_TICKS:
        return bot
    return replace(bot, spot=spot, health=FULL, food=FULL, inventory={})


def _eaten(bot: Bot) -> Bot:
    """It eats by itself when hungry and something is at hand."""
    if bot.food > _EATS_AT:
        return bot
    for item, worth in FOOD.items():
        rest = with_items(bot.inventory, {item: -1})
        if rest is not None:
            return replace(bot, food=min(FULL, bot.food + worth), inventory=rest)
    return bot
