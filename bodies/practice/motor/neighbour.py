"""The neighbour: another player, who walks about, goes away, talks, and sleeps at night.

Where the neighbour is follows from the tick alone, so that nobody has to watch.
"""

from bodies.practice.motor.hours import DAY, TICKS_PER_SECOND
from bodies.practice.motor.land import Land, standing_place
from bodies.practice.motor.terrain import Spot
from bodies.practice.world.chance import roll

NAME = "Wren"
EARSHOT = 32
"""Blocks within which the neighbour is near, hears and answers."""
LEG = 20 * TICKS_PER_SECOND
_WALKING = 12 * TICKS_PER_SECOND
_LEGS_IN_ROUND = 18
_LEGS_NEAR = 13
_LOGS_OUT = 700 * TICKS_PER_SECOND
_LOGS_IN = 1160 * TICKS_PER_SECOND
_REMARKS = (
    "Morning! The oaks by the pond are the tall ones.",
    "I am off to look for coal in the hillside.",
    "Do you want to build something together?",
    "It gets rough out here after dark. Keep a roof over you.",
    "Found nothing but dirt today.",
    "That hill would make a fine lookout.",
)
_REPLIES = (
    "Heard you, {player}!",
    "Good idea, {player}.",
    "I will come by in a while, {player}.",
    "Careful out there, {player}.",
)


def is_online(tick: int) -> bool:
    return not _LOGS_OUT <= tick % DAY < _LOGS_IN


def where(land: Land, tick: int) -> Spot:
    """Where the neighbour stands at this tick, online or not."""
    leg, within = divmod(tick, LEG)
    x0, z0 = _station(land.seed, leg)
    x1, z1 = _station(land.seed, leg + 1)
    part = min(1.0, within / _WALKING)
    return standing_place(land, round(x0 + (x1 - x0) * part), round(z0 + (z1 - z0) * part))


def remark(seed: int, tick: int) -> str | None:
    """What the neighbour says at this tick without being asked."""
    leg, within = divmod(tick, LEG)
    if within != _WALKING or leg % _LEGS_IN_ROUND >= _LEGS_NEAR or roll(3, seed, "says", leg):
        return None
    return _REMARKS[roll(len(_REMARKS), seed, "remark", leg)]


def reply(seed: int, tick: int, player: str) -> tuple[int, str]:
    """When the neighbour answers somebody who spoke at this tick, and what."""
    text = _REPLIES[roll(len(_REPLIES), seed, "reply", tick)]
    return tick + 6 + roll(10, seed, "answers", tick), text.format(player=player)


def _station(seed: int, leg: int) -> tuple[int, int]:
    away = leg % _LEGS_IN_ROUND >= _LEGS_NEAR
    middle = (55, -30) if away else (0, 0)
    return (
        middle[0] + roll(19, seed, "x", leg) - 9,
        middle[1] + roll(19, seed, "z", leg) - 9,
    )
