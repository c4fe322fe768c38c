"""The ground: which tiles of the minimap can be reached, and in how many steps."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from bodies.practice.model.players.pokemon.moves import FARTHEST, STEPS, Direction, Tile
from bodies.practice.model.players.pokemon.screen import Screen

WALL = "#"
LEDGE = "v"
"""Entered only from the north; one lands on the tile beyond."""
LONGEST_WALK = 40


@dataclass(frozen=True, slots=True)
class Ground:
    """What is around a player. `steps` are counted from where they stand."""

    at: Tile
    glyphs: dict[Tile, str]
    steps: dict[Tile, int]
    arrivals: dict[Tile, Direction]
    """Which way one looks after the shortest walk to a tile."""

    def open(self, tile: Tile) -> bool:
        return self.glyphs.get(tile, WALL) not in (WALL, LEDGE)

    def beside(self, tile: Tile) -> list[tuple[Tile, Direction]]:
        """The tiles next to this one, each with the direction that faces it from there."""
        x, y = tile
        return [((x - dx, y - dy), direction) for direction, (dx, dy) in STEPS.items()]

    def posts(self, tile: Tile) -> list[tuple[int, Tile, Direction]]:
        """From where this tile can be faced, nearest first; over a counter when need be.

        A walk that does not end facing it costs a step more.
        """
        found = self._posts(tile, 1) or self._posts(tile, 2)
        return sorted(found)

    def _posts(self, tile: Tile, away: int) -> list[tuple[int, Tile, Direction]]:
        posts: list[tuple[int, Tile, Direction]] = []
        for direction, (dx, dy) in STEPS.items():
            post = (tile[0] - dx * away, tile[1] - dy * away)
            between = (tile[0] - dx, tile[1] - dy)
            if away == 2 and self.glyphs.get(between) != WALL:
                continue
            if post in self.steps and self.glyphs.get(post) not in (LEDGE, "D"):
                turns = self.arrivals.get(post) != direction
                posts.append((self.steps[post] + turns, post, direction))
        return posts

    def is_alone(self, tile: Tile) -> bool:
        """Whether this is one blocked tile in the open, as signs are."""
        if self.glyphs.get(tile) != WALL:
            return False
        x, y = tile
        around = ((x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)
        return all(self.glyphs.get(other, WALL) != WALL for other in around)


def ground_of(screen: Screen) -> Ground | None:
    """None without a position or a minimap."""
    at, minimap = screen.position, screen.minimap
    if at is None or minimap is None:
        return None
    glyphs = {
        (minimap.x + column, minimap.y + row): glyph
        for row, line in enumerate(minimap.rows)
        for column, glyph in enumerate(line)
        if 0 <= minimap.x + column <= FARTHEST and 0 <= minimap.y + row <= FARTHEST
    }
    taken = {(person.x, person.y) for person in screen.npcs or ()}
    steps: dict[Tile, int] = {at.tile: 0}
    arrivals: dict[Tile, Direction] = {}
    queue = deque([at.tile])
    while queue:
        tile = queue.popleft()
        if tile != at.tile and glyphs.get(tile) == "D":
            continue  # it leads elsewhere; nobody walks through
        for direction, (dx, dy) in STEPS.items():
            ahead = (tile[0] + dx, tile[1] + dy)
            if glyphs.get(ahead) == LEDGE:
                if direction != "down":
                    continue
                ahead = (ahead[0], ahead[1] + 1)
            blocked = ahead in taken or glyphs.get(ahead, WALL) in (WALL, LEDGE)
            if ahead in steps or blocked or steps[tile] >= LONGEST_WALK:
                continue
            steps[ahead] = steps[tile] + 1
            arrivals[ahead] = direction
            queue.append(ahead)
    return Ground(at.tile, glyphs, steps, arrivals)
