"""Terrain: what nature put where. A small country of hills, ponds, trees, and ore in the stone."""

from functools import lru_cache
from typing import NamedTuple

from bodies.practice.world.chance import roll

REACH_OF_COUNTRY = 96
"""Blocks from the middle to the border, in x and z."""
FLOOR = 50
"""Bedrock lies here and below."""
WATER_LEVEL = 63
_LATTICE = 12
_CELL = 6
_TRUNK = 4


class Spot(NamedTuple):
    """A block's place, or the place of somebody's feet."""

    x: int
    y: int
    z: int

    def moved(self, dx: int, dy: int, dz: int) -> "Spot":
        return Spot(self.x + dx, self.y + dy, self.z + dz)

    def distance(self, other: "Spot") -> float:
        """In blocks, straight through everything."""
        dx, dy, dz = self.x - other.x, self.y - other.y, self.z - other.z
        return (dx * dx + dy * dy + dz * dz) ** 0.5


@lru_cache(maxsize=1 << 15)
def surface(seed: int, x: int, z: int) -> int:
    """The height of the topmost block of ground in a column."""
    cx, fx = divmod(x, _LATTICE)
    cz, fz = divmod(z, _LATTICE)
    tx, tz = fx / _LATTICE, fz / _LATTICE
    near = _hill(seed, cx, cz) * (1 - tx) + _hill(seed, cx + 1, cz) * tx
    far = _hill(seed, cx, cz + 1) * (1 - tx) + _hill(seed, cx + 1, cz + 1) * tx
    return round(near * (1 - tz) + far * tz)


@lru_cache(maxsize=1 << 17)
def natural(seed: int, spot: Spot) -> str:
    """The block that was here before anybody came."""
    x, y, z = spot
    if y <= FLOOR or max(abs(x), abs(z)) > REACH_OF_COUNTRY:
        return "bedrock"
    ground = surface(seed, x, z)
    if y > ground:
        if y <= WATER_LEVEL:
            return "water"
        return _tree(seed, spot) if y <= WATER_LEVEL + 16 else "air"
    if ground <= WATER_LEVEL and y > ground - 3:
        return "sand"
    if _is_outcrop(seed, x, z):
        return _stone(seed, spot)
    if y == ground:
        return "grass_block"
    return "dirt" if y > ground - 3 else _stone(seed, spot)


def _hill(seed: int, cx: int, cz: int) -> int:
    if cx in (0, -1) and cz in (0, -1):
        return WATER_LEVEL + 3
    return WATER_LEVEL - 2 + roll(10, seed, "hill", cx, cz)


def _is_outcrop(seed: int, x: int, z: int) -> bool:
    """Bare rock, three blocks wide, where stone is found without digging for it."""
    return max(abs(x), abs(z)) > 5 and roll(24, seed, "outcrop", x // 3, z // 3) == 0


def _stone(seed: int, spot: Spot) -> str:
    luck = roll(40, seed, "ore", *spot)
    if luck < 3:
        return "coal_ore"
    return "iron_ore" if luck == 3 else "stone"


def _tree(seed: int, spot: Spot) -> str:
    x, y, z = spot
    block = "air"
    for cx in {(x - 2) // _CELL, (x + 2) // _CELL}:
        for cz in {(z - 2) // _CELL, (z + 2) // _CELL}:
            root = _root(seed, cx, cz)
            if root is None:
                continue
            away = max(abs(x - root.x), abs(z - root.z))
            height = y - root.y
            if away == 0 and 1 <= height <= _TRUNK:
                return "oak_log"
            if (away <= 2 and height in (_TRUNK - 1, _TRUNK)) or (
                away <= 1 and height == _TRUNK + 1
            ):
                block = "oak_leaves"
    return block


@lru_cache(maxsize=1 << 13)
def _root(seed: int, cx: int, cz: int) -> Spot | None:
    if roll(2, seed, "tree", cx, cz):
        return None
    x = cx * _CELL + 1 + roll(4, seed, "x", cx, cz)
    z = cz * _CELL + 1 + roll(4, seed, "z", cx, cz)
    ground = surface(seed, x, z)
    if ground <= WATER_LEVEL or max(abs(x), abs(z)) < 3:
        return None
    return Spot(x, ground, z)
