"""The surroundings: what the STATE block of a Minecraft prompt says, as far as rules need it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import floor
from typing import NamedTuple

import msgspec
from msgspec import Struct

from kernel.undecodable import UNDECODABLE

OPEN = frozenset(("air", "cave_air", "water", "torch", "short_grass", "tall_grass"))
"""Blocks that stand in nobody's way; what is not listed is taken for open, too."""


class Spot(NamedTuple):
    x: int
    y: int
    z: int

    def moved(self, dx: int, dy: int, dz: int) -> Spot:
        return Spot(self.x + dx, self.y + dy, self.z + dz)

    def distance(self, other: Spot) -> float:
        dx, dy, dz = self.x - other.x, self.y - other.y, self.z - other.z
        return (dx * dx + dy * dy + dz * dz) ** 0.5

    def __str__(self) -> str:
        return f"({self.x},{self.y},{self.z})"


class Wire(Struct, frozen=True, rename="camel"):
    pass


class Point(Wire, frozen=True):
    x: float
    y: float
    z: float


class Carried(Wire, frozen=True):
    item: str
    count: int


class Block(Wire, frozen=True):
    x: int
    y: int
    z: int
    block: str


class Other(Wire, frozen=True):
    name: str
    near: bool


class Line(Wire, frozen=True):
    player: str
    text: str


class Last(Wire, frozen=True):
    action: str | None = None
    outcome: str = ""
    effect: str | None = None


class Message(Wire, frozen=True):
    speaker: str
    text: str


class Surroundings(Struct, frozen=True, rename="camel", dict=True):
    """One turn's STATE."""

    turn: int
    phase: str | None = None
    player: str = ""
    position: Point | None = None
    health: float | None = None
    food: float | None = None
    inventory: tuple[Carried, ...] = ()
    blocks: tuple[Block, ...] = ()
    players: tuple[Other, ...] = ()
    chat: tuple[Line, ...] = ()
    event: str | None = None
    notes: str | None = None
    objective: str | None = None
    unchanged_for_turns: int = 0
    stalled_for_turns: int = 0
    last: Last | None = None
    messages: tuple[Message, ...] = ()

    @cached_property
    def feet(self) -> Spot | None:
        """The block in which the player stands."""
        at = self.position
        return None if at is None else Spot(floor(at.x), floor(at.y), floor(at.z))

    @cached_property
    def known(self) -> dict[Spot, str]:
        return {Spot(block.x, block.y, block.z): block.block for block in self.blocks}

    @cached_property
    def near(self) -> tuple[str, ...]:
        """Names of the others who are near."""
        return tuple(other.name for other in self.players if other.near)

    def count(self, item: str) -> int:
        return sum(carried.count for carried in self.inventory if carried.item == item)

    def is_solid(self, spot: Spot) -> bool:
        return self.known.get(spot, "air") not in OPEN

    def is_covered(self, feet: Spot) -> bool:
        """Whether a roof or a tree is known to be overhead."""
        return any(self.is_solid(feet.moved(0, up, 0)) for up in range(2, 8))

    def nearest(self, *names: str) -> Iterator[tuple[Spot, str]]:
        """The known blocks of these names, the nearest first."""
        feet = self.feet
        if feet is not None:
            found = [
                (spot.distance(feet), spot) for spot, name in self.known.items() if name in names
            ]
            yield from ((spot, self.known[spot]) for _, spot in sorted(found))

    def beside(self, feet: Spot) -> Iterator[Spot]:
        """Open places next to the feet, with something to stand on below them."""
        for dx, dz in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            spot = feet.moved(dx, 0, dz)
            if not self.is_solid(spot) and self.is_solid(spot.moved(0, -1, 0)):
                yield spot


def read_surroundings(state: bytes) -> Surroundings | None:
    """None for what is no STATE of a Minecraft prompt."""
    try:
        return msgspec.json.decode(state, type=Surroundings)
    except UNDECODABLE:
        return None
