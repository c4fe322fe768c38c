"""Scenes: what a player's screen shows, each with what it needs to go on. Saved to disk as is.

boot -> dialog -> naming -> menu -> cutscene -> walking <-> dialog, menu, cutscene, battle
"""

import msgspec

from bodies.practice.world.creatures import Creature
from bodies.practice.world.places import Direction, Spot


class Boot(msgspec.Struct, frozen=True, tag="boot"):
    """The screen before anything can be read from it."""

    until: int


class Cutscene(msgspec.Struct, frozen=True, tag="cutscene"):
    """Something plays by itself until a frame, then a tale goes on."""

    until: int
    then: str


class Dialog(msgspec.Struct, frozen=True, tag="dialog"):
    """Pages of text; the shown one is complete from `printed_at` on. `then` names a tale."""

    pages: tuple[str, ...]
    printed_at: int
    page: int = 0
    then: str | None = None


class Entry(msgspec.Struct, frozen=True):
    id: str
    label: str


class Menu(msgspec.Struct, frozen=True, tag="menu"):
    """A list to choose from; `about` is what an earlier choice picked."""

    menu_id: str
    entries: tuple[Entry, ...]
    cursor: int = 0
    about: str = ""


class Naming(msgspec.Struct, frozen=True, tag="naming"):
    """The keyboard; the cursor is a column and a row of `naming.KEYS`."""

    typed: str = ""
    column: int = 0
    row: int = 0


class Walking(msgspec.Struct, frozen=True, tag="walking"):
    """The field; steps are taken from `ready_at` on (a door's fade takes some frames)."""

    ready_at: int = 0


class Battle(msgspec.Struct, frozen=True, tag="battle"):
    """A meeting with a wild creature: text first, then the menu, until `over`."""

    foe: Creature
    pages: tuple[str, ...]
    printed_at: int
    page: int = 0
    menu: Menu | None = None
    round: int = 0
    over: bool = False


Scene = Boot | Cutscene | Dialog | Menu | Naming | Walking | Battle


class Player(msgspec.Struct, frozen=True):
    """One player's whole progress."""

    player_id: str
    spot: Spot
    facing: Direction
    scene: Scene
    name: str = ""
    party: tuple[Creature, ...] = ()
    flags: frozenset[str] = frozenset()
    bag: tuple[str, ...] = ()
    coins: int = 300
    steps: int = 0
    body_generation: int = 1
