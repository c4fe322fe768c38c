"""The maps of a run, put together from what was seen around the player, and the path on them."""

from __future__ import annotations

from typing import Final

from kernel.journal.evaluation.verdicts import Position
from kernel.journal.inspection import Surroundings
from kernel.journal.report.shape import ShownMap, Step

SIDE_LIMIT: Final = 512
"""Tiles along one side of a map; what lies further from its first tile is left out."""


class Terrain:
    """Folds a run's turns."""

    def __init__(self) -> None:
        self._maps: dict[str, _Map] = {}

    def see(self, seen: Surroundings) -> None:
        """Take what a turn saw around the player."""
        place = self._map(seen.map_id)
        for down, row in enumerate(seen.rows):
            for right, tile in enumerate(row):
                if tile not in _UNTOLD:
                    place.put(seen.x + right, seen.y + down, tile)

    def stand(self, index: int, at: Position) -> None:
        """Take where the player stood in a turn."""
        place = self._map(at.map_id)
        if place.put(at.x, at.y, _PLAYER_STOOD):
            step = Step(index=index, x=at.x, y=at.y)
            if not place.path or (place.path[-1].x, place.path[-1].y) != (at.x, at.y):
                place.path.append(step)

    def maps(self) -> tuple[ShownMap, ...]:
        """All maps, in the order in which they were first seen."""
        return tuple(place.shown(name) for name, place in self._maps.items() if place.tiles)

    def _map(self, name: str) -> _Map:
        return self._maps.setdefault(name, _Map())


class _Map:
    def __init__(self) -> None:
        self.tiles: dict[tuple[int, int], str] = {}
        self.path: list[Step] = []
        self._origin: tuple[int, int] | None = None

    def put(self, x: int, y: int, tile: str) -> bool:
        """Whether the tile lies within the bounds."""
        self._origin = self._origin or (x, y)
        reach = SIDE_LIMIT // 2
        if abs(x - self._origin[0]) > reach or abs(y - self._origin[1]) > reach:
            return False
        if tile != _PLAYER_STOOD or self.tiles.get((x, y), "#") in "# ":
            self.tiles[x, y] = tile
        return True

    def shown(self, name: str) -> ShownMap:
        across = [x for x, _ in self.tiles]
        down = [y for _, y in self.tiles]
        left, right, top, bottom = min(across), max(across), min(down), max(down)
        rows = tuple(
            "".join(self.tiles.get((x, y), " ") for x in range(left, right + 1))
            for y in range(top, bottom + 1)
        )
        return ShownMap(name=name, x=left, y=top, rows=rows, path=tuple(self.path))


_PLAYER_STOOD = "."
_UNTOLD = "@ "
"""The player itself covers its tile; a space tells nothing."""
