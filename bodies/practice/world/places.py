"""Places: what a map is made of, and where one step leads.

Coordinates count from 7, because a map of this kind carries a border of seven tiles that nobody
can enter. A map is drawn in characters:

    '#' wall, roof or furniture    'T' tree     'w' water     's' sign     'c' counter
    '.' open ground                '~' tall grass (wild creatures)
    'v' ledge: entered only from the north, one lands on the tile beyond
    'D' door or stairs             'm' doormat: leaves only when south is pressed on it

The minimap on the wire shows '#' for everything that blocks, and '.', '~', 'v', 'D' as above.
"""

from typing import Literal

import msgspec

BORDER = 7
Direction = Literal["north", "south", "west", "east"]
OFFSETS: dict[Direction, tuple[int, int]] = {
    "north": (0, -1),
    "south": (0, 1),
    "west": (-1, 0),
    "east": (1, 0),
}
BLOCKING = frozenset("#Twsc")


class Spot(msgspec.Struct, frozen=True, rename="camel"):
    """One tile of one map."""

    map_id: str
    x: int
    y: int

    def toward(self, direction: Direction, tiles: int = 1) -> "Spot":
        dx, dy = OFFSETS[direction]
        return Spot(self.map_id, self.x + dx * tiles, self.y + dy * tiles)


class Warp(msgspec.Struct, frozen=True):
    """A tile that leads elsewhere: a door by stepping on it, a doormat by pressing south on it."""

    at: Spot
    to: Spot
    facing: Direction
    by_stepping: bool = True


class Link(msgspec.Struct, frozen=True):
    """An edge over which one walks onto the next map; `shift` is added to x (or y) on crossing."""

    direction: Direction
    to: str
    shift: int = 0


class Sign(msgspec.Struct, frozen=True):
    at: Spot
    pages: tuple[str, ...]


class Resident(msgspec.Struct, frozen=True):
    """A person who lives on a map; `roams` is how many tiles from home they wander."""

    local_id: int
    name: str
    graphics_id: int
    home: Spot
    roams: int
    tale: str


class Trigger(msgspec.Struct, frozen=True):
    """Ground that starts a tale when a player steps on it, until the player has the flag."""

    spots: frozenset[Spot]
    tale: str
    until_flag: str


class Place(msgspec.Struct, frozen=True):
    """One map."""

    map_id: str
    region: str
    group: int
    number: int
    rows: tuple[str, ...]
    warps: tuple[Warp, ...] = ()
    links: tuple[Link, ...] = ()
    signs: tuple[Sign, ...] = ()
    residents: tuple[Resident, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    wild: tuple[int, ...] = ()

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def height(self) -> int:
        return len(self.rows)

    def contains(self, x: int, y: int) -> bool:
        return 0 <= x - BORDER < self.width and 0 <= y - BORDER < self.height

    def tile(self, x: int, y: int) -> str:
        """The drawn character at a tile; outside the map everything is wall."""
        return self.rows[y - BORDER][x - BORDER] if self.contains(x, y) else "#"

    def is_open(self, x: int, y: int) -> bool:
        return self.tile(x, y) not in BLOCKING

    def warp_at(self, spot: Spot) -> Warp | None:
        return next((warp for warp in self.warps if warp.at == spot), None)

    def link_toward(self, direction: Direction) -> Link | None:
        return next((link for link in self.links if link.direction == direction), None)


def landing(place: Place, start: Spot, direction: Direction) -> Spot | None:
    """Where a step on this map ends when nobody is in the way, or None when the ground blocks it.

    A ledge carries over to the tile beyond it and stops a step from any other side.
    """
    ahead = start.toward(direction)
    if place.tile(ahead.x, ahead.y) == "v":
        if direction != "south":
            return None
        ahead = ahead.toward("south")
    return ahead if place.is_open(ahead.x, ahead.y) else None


def crossing(places: dict[str, Place], start: Spot, direction: Direction) -> Spot | None:
    """The tile on the next map that a step over this map's edge reaches, or None."""
    place = places[start.map_id]
    ahead = start.toward(direction)
    link = place.link_toward(direction)
    if link is None or place.contains(ahead.x, ahead.y):
        return None
    beyond = places[link.to]
    entered = {
        "north": Spot(link.to, start.x + link.shift, BORDER + beyond.height - 1),
        "south": Spot(link.to, start.x + link.shift, BORDER),
        "west": Spot(link.to, BORDER + beyond.width - 1, start.y + link.shift),
        "east": Spot(link.to, BORDER, start.y + link.shift),
    }[direction]
    return entered if beyond.is_open(entered.x, entered.y) else None
