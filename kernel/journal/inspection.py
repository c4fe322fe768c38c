"""What a game's body can show people of one turn: what was seen, and what the action gave."""

from __future__ import annotations

from msgspec import Struct


class Passage(Struct, frozen=True):
    """A text under a label; `fixed` keeps its columns, as of a map."""

    label: str
    text: str
    fixed: bool = False


class Surroundings(Struct, frozen=True, kw_only=True):
    """Rows of tiles that were seen of a map; `#` is a wall. `x` and `y` are of the first tile."""

    map_id: str
    x: int
    y: int
    rows: tuple[str, ...]


class Inspection(Struct, frozen=True, kw_only=True):
    """One turn, opened."""

    saw: tuple[Passage, ...] = ()
    result: tuple[Passage, ...] = ()
    surroundings: tuple[Surroundings, ...] = ()
