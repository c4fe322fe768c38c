"""The land: nature and what was changed in it, and where one can stand and walk."""

from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from bodies.practice.motor.materials import OPEN
from bodies.practice.motor.terrain import Spot, natural, surface

MAX_DROP = 3
_MAX_VISITED = 1200
_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


class Land(Struct, frozen=True):
    """Nature by its seed, and the blocks that somebody changed."""

    seed: int
    changes: Mapping[Spot, str] = {}

    def block(self, spot: Spot) -> str:
        return self.changes.get(spot) or natural(self.seed, spot)

    def with_block(self, spot: Spot, block: str) -> "Land":
        return replace(self, changes={**self.changes, spot: block})

    def is_open(self, spot: Spot) -> bool:
        return self.block(spot) in OPEN

    def is_solid(self, spot: Spot) -> bool:
        return self.block(spot) not in OPEN and self.block(spot) != "water"

    def can_stand(self, feet: Spot) -> bool:
        return (
            self.is_open(feet)
            and self.is_open(feet.moved(0, 1, 0))
            and self.is_solid(feet.moved(0, -1, 0))
        )

    def is_covered(self, feet: Spot) -> bool:
        """Whether anything solid is overhead, up to six blocks high."""
        return any(self.is_solid(feet.moved(0, up, 0)) for up in range(2, 8))


def standing_place(land: Land, x: int, z: int) -> Spot:
    """The nearest place to stand, looking outwards from a column."""
    for away in range(32):
        for dx in range(-away, away + 1):
            for dz in range(-away, away + 1):
                if max(abs(dx), abs(dz)) == away:
                    ground = surface(land.seed, x + dx, z + dz)
                    for up in range(1, 6):
                        feet = Spot(x + dx, ground + up, z + dz)
                        if land.can_stand(feet):
                            return feet
    return Spot(x, surface(land.seed, x, z) + 1, z)


def plan(
    land: Land, start: Spot, target: Spot, arrived: Callable[[Spot], bool]
) -> tuple[Spot, ...] | None:
    """The steps from start to a place that counts as arrived; None when no way is found.

    Looks at no more than 1,200 places, so that a far target behind water may be given up.
    """
    if arrived(start):
        return ()
    order = count()
    frontier: list[tuple[float, int, Spot]] = [(0.0, next(order), start)]
    came_from: dict[Spot, Spot | None] = {start: None}
    cost = {start: 0}
    for _ in range(_MAX_VISITED):
        if not frontier:
            return None
        here = heappop(frontier)[2]
        if arrived(here):
            return _way_to(here, came_from)
        for there in _steps(land, here):
            spent = cost[here] + 1
            if spent < cost.get(there, spent + 1):
                cost[there] = spent
                came_from[there] = here
                heappush(frontier, (spent + 2.0 * there.distance(target), next(order), there))
    return None


def _steps(land: Land, here: Spot) -> list[Spot]:
    steps: list[Spot] = []
    head_is_free = land.is_open(here.moved(0, 2, 0))
    for dx, dz in _SIDES:
        for dy in range(1 if head_is_free else 0, -MAX_DROP - 1, -1):
            there = here.moved(dx, dy, dz)
            if land.can_stand(there):
                if dy >= 0 or land.is_open(here.moved(dx, 1, dz)):
                    steps.append(there)
                break
    return steps


def _way_to(end: Spot, came_from: Mapping[Spot, Spot | None]) -> tuple[Spot, ...]:
    way: list[Spot] = []
    at: Spot | None = end
    while at is not None:
        way.append(at)
        at = came_from[at]
    return tuple(reversed(way[:-1]))
