"""Progress: the tiles and maps that the player has reached."""

from __future__ import annotations

import msgspec

from bodies.pokemon.sight import Place, View

MAPS = 16
"""The latest maps that are told; a map entered again is told again."""


class Tally(msgspec.Struct, frozen=True, rename="camel"):
    """Progress as the trail and the summary tell it."""

    distinct_tiles: int
    maps: tuple[str, ...]
    turns_since_new_tile: int
    actions_per_new_tile: float | None
    """Accepted actions for each tile after the first; null before the second tile."""


class Progress:
    """Folds one turn after the other."""

    def __init__(self) -> None:
        self._tiles: set[Place] = set()
        self._maps: tuple[str, ...] = ()
        self._turns_since_new_tile = 0
        self._accepted = 0

    @property
    def turns_since_new_tile(self) -> int:
        return self._turns_since_new_tile

    def fold(self, views: tuple[View | None, ...], *, accepted: bool) -> None:
        """One turn: what it saw, in order, and whether its action was accepted."""
        new_tile = False
        for view in views:
            if view is None or view.place is None:
                continue
            place = view.place
            new_tile = new_tile or place not in self._tiles
            self._tiles.add(place)
            if not self._maps or self._maps[-1] != place[0]:
                self._maps = (*self._maps, place[0])[-MAPS:]
        self._turns_since_new_tile = 0 if new_tile else self._turns_since_new_tile + 1
        self._accepted += accepted

    def tally(self) -> Tally:
        further = len(self._tiles) - 1
        return Tally(
            len(self._tiles),
            self._maps,
            self._turns_since_new_tile,
            self._accepted / further if further > 0 else None,
        )
