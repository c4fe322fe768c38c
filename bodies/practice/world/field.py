"""The field: taking a step, meeting what is there, and speaking to what stands ahead."""

import msgspec
from msgspec.structs import replace

from bodies.practice.world.atlas import PLACES
from bodies.practice.world.battle import meet
from bodies.practice.world.chance import roll
from bodies.practice.world.people import Person, standing_on
from bodies.practice.world.places import Direction, Spot, Warp, crossing, landing
from bodies.practice.world.scenes import Player, Walking
from bodies.practice.world.tales import spoken, tell

FADE_FRAMES = 24
_GRASS_ODDS = 9


class Around(msgspec.Struct, frozen=True):
    """What a player's rules may know of the world at this moment."""

    frame: int
    seed: int
    people: tuple[Person, ...]
    taken: frozenset[Spot]


def step(player: Player, direction: Direction, around: Around) -> Player:
    """The player after a step, or turned only when something is in the way."""
    turned = replace(player, facing=direction)
    place = PLACES[player.spot.map_id]
    warp = place.warp_at(player.spot)
    if warp is not None and not warp.by_stepping and direction == "south":
        return _through(turned, warp, around.frame)
    ahead = landing(place, player.spot, direction) or crossing(PLACES, player.spot, direction)
    if ahead is None or ahead in around.taken:
        return turned
    arrived = replace(turned, spot=ahead, steps=player.steps + 1)
    if ahead.map_id != player.spot.map_id:
        arrived = replace(arrived, scene=Walking(around.frame + FADE_FRAMES))
    return _arrive(arrived, around)


def interact(player: Player, around: Around) -> Player:
    """The player after pressing A towards the tile ahead: a person, a sign, or nothing."""
    ahead = player.spot.toward(player.facing)
    place = PLACES[player.spot.map_id]
    if place.tile(ahead.x, ahead.y) == "c":
        ahead = ahead.toward(player.facing)
    person = standing_on(around.people, ahead)
    if person is not None:
        return tell(player, person.resident.tale, around.frame)
    for sign in place.signs:
        if sign.at == ahead:
            return replace(player, scene=spoken(sign.pages, around.frame))
    return player


def _arrive(player: Player, around: Around) -> Player:
    place = PLACES[player.spot.map_id]
    warp = place.warp_at(player.spot)
    if warp is not None and warp.by_stepping:
        return _through(player, warp, around.frame)
    for trigger in place.triggers:
        if player.spot in trigger.spots and trigger.until_flag not in player.flags:
            return tell(player, trigger.tale, around.frame)
    if place.tile(player.spot.x, player.spot.y) == "~" and player.party:
        words = (around.seed, player.player_id, player.steps)
        if roll(_GRASS_ODDS, "grass", *words) == 0:
            species = place.wild[roll(len(place.wild), "kind", *words)]
            return meet(player, species, 2 + roll(3, "level", *words), around.frame)
    return player


def _through(player: Player, warp: Warp, frame: int) -> Player:
    return replace(
        player,
        spot=warp.to,
        facing=warp.facing,
        steps=player.steps + 1,
        scene=Walking(frame + FADE_FRAMES),
    )
