"""Paths: the shortest way over the open tiles of one map, and the nearest tile to a wish.

Doors are walked onto only as the target; a ledge is taken only southward.
"""

from collections import deque
from collections.abc import Iterable

from bodies.practice.world.places import OFFSETS, Direction, Place, Spot, landing


def plan(
    place: Place, start: Spot, target: Spot, taken: frozenset[Spot]
) -> tuple[Direction, ...] | None:
    """The fewest steps from start to target around the taken tiles, or None."""
    came_from = _search(place, start, taken, target)
    if target not in came_from:
        return None
    steps: list[Direction] = []
    spot = target
    while (origin := came_from[spot]) is not None:
        spot, direction = origin
        steps.append(direction)
    return tuple(reversed(steps))


def nearest_reachable(
    place: Place, start: Spot, target: Spot, taken: frozenset[Spot]
) -> Spot | None:
    """The reachable tile closest to the target, the start excepted."""
    reached = _search(place, start, taken, None)
    return _closest(target, (spot for spot in reached if spot != start))


def nearest_open(place: Place, target: Spot, taken: frozenset[Spot]) -> Spot | None:
    """The open tile closest to the target where nobody stands."""
    spots = (
        Spot(place.map_id, x, y)
        for x in range(target.x - 4, target.x + 5)
        for y in range(target.y - 4, target.y + 5)
        if place.is_open(x, y)
    )
    return _closest(target, (spot for spot in spots if spot not in taken))


def _search(
    place: Place, start: Spot, taken: frozenset[Spot], target: Spot | None
) -> dict[Spot, tuple[Spot, Direction] | None]:
    came_from: dict[Spot, tuple[Spot, Direction] | None] = {start: None}
    queue = deque([start])
    while queue:
        spot = queue.popleft()
        if spot == target:
            break
        for direction in OFFSETS:
            ahead = landing(place, spot, direction)
            if ahead is None or ahead in came_from or ahead in taken:
                continue
            if ahead != target and _leads_away(place, ahead):
                continue
            came_from[ahead] = (spot, direction)
            queue.append(ahead)
    return came_from


def _leads_away(place: Place, spot: Spot) -> bool:
    warp = place.warp_at(spot)
    return warp is not None and warp.by_stepping


def _closest(target: Spot, spots: Iterable[Spot]) -> Spot | None:
    return min(
        spots,
        key=lambda spot: (abs(spot.x - target.x) + abs(spot.y - target.y), spot.y, spot.x),
        default=None,
    )
