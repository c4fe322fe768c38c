"""People who wander: where the residents of a map stand at a frame.

A person considers one step every 96 frames and stays within their range of home.
"""

from collections.abc import Iterable

import msgspec

from bodies.practice.world.chance import roll
from bodies.practice.world.places import OFFSETS, Direction, Place, Resident, Spot

FRAMES_PER_THOUGHT = 96
_LONGEST_CATCH_UP = 32


class Person(msgspec.Struct, frozen=True):
    """A resident where they stand now."""

    resident: Resident
    spot: Spot
    facing: Direction = "south"


def at_home(place: Place) -> tuple[Person, ...]:
    return tuple(Person(resident, resident.home) for resident in place.residents)


def wander(
    place: Place,
    people: tuple[Person, ...],
    players: frozenset[Spot],
    thoughts: range,
    seed: int,
) -> tuple[Person, ...]:
    """Everybody's place after these thoughts. After a long absence only the last 32 are thought."""
    for thought in thoughts[-_LONGEST_CATCH_UP:]:
        moved = list(people)
        for index, person in enumerate(moved):
            others = {other.spot for other in moved if other is not person}
            moved[index] = _consider(place, person, players | others, thought, seed)
        people = tuple(moved)
    return people


def turned_to(person: Person, spot: Spot) -> Person:
    """The person, facing somebody beside them."""
    for direction in OFFSETS:
        if person.spot.toward(direction) == spot:
            return msgspec.structs.replace(person, facing=direction)
    return person


def standing_on(people: Iterable[Person], spot: Spot) -> Person | None:
    return next((person for person in people if person.spot == spot), None)


def _consider(
    place: Place, person: Person, taken: frozenset[Spot], thought: int, seed: int
) -> Person:
    resident = person.resident
    choice = roll(8, seed, place.map_id, resident.local_id, thought)
    if resident.roams == 0 or choice >= len(OFFSETS):
        return person
    direction = tuple(OFFSETS)[choice]
    ahead = person.spot.toward(direction)
    away = max(abs(ahead.x - resident.home.x), abs(ahead.y - resident.home.y))
    free = place.tile(ahead.x, ahead.y) in ".~" and ahead not in taken
    if away > resident.roams or not free:
        return msgspec.structs.replace(person, facing=direction)
    return msgspec.structs.replace(person, spot=ahead, facing=direction)
