"""What the player found out by its own actions (K19): talks, ways between maps, walls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from bodies.pokemon import wire
from bodies.pokemon.actions import DIRECTIONS, described
from bodies.pokemon.effects import Happening
from bodies.pokemon.sight import Place, View

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")

REMEMBERED = 32
_DIALOG_TEXT = 240
_STEPS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


@dataclass(frozen=True, slots=True)
class _Talk:
    """Text that A opened at a tile. `local_id`: who stood there; None: nobody that was read."""

    map_id: str
    local_id: int | None
    times: int
    told: str
    """In words for the model."""


class Discoveries:
    """At most 32 of each kind, the oldest out first."""

    def __init__(self) -> None:
        self._talks: dict[tuple[str, object], _Talk] = {}
        self._ways: dict[tuple[Place, str], str] = {}
        self._walls: dict[Place, tuple[str, ...]] = {}

    def fold(
        self, action: wire.Action, effect: Happening, before: View, after: View | None
    ) -> None:
        """One action that ran."""
        if after is None:
            return
        if isinstance(action, wire.ButtonPress):
            self._walk_tried(action.button, effect, before)
            if action.button == "a" and effect.what == "box" and not before.lines:
                self._talked(before, after)
        start, end = before.place, after.place
        if effect.what == "entered" and start and end:
            how = described(action)
            self._ways.pop((start, how), None)
            self._ways[(start, how)] = _told_way(start, how, end)
            _bound(self._ways)

    def refused_here(self, view: View) -> tuple[str, ...]:
        """The directions that were blocked from this exact tile."""
        return self._walls.get(view.place, ()) if view.place else ()

    def talks(self, view: View) -> tuple[str, ...]:
        """The talks on this map with people who are still there, in words for the model."""
        at = view.at
        if at is None:
            return ()
        return tuple(
            talk.told
            for talk in self._talks.values()
            if talk.map_id == at.map_id and _present(talk, view)
        )

    def ways(self, view: View) -> tuple[str, ...]:
        """The ways between maps that worked, those from this tile first, in words."""
        here = view.place
        from_here = tuple(told for (start, _), told in self._ways.items() if start == here)
        others = tuple(told for (start, _), told in self._ways.items() if start != here)
        return from_here + others

    def _walk_tried(self, button: str, effect: Happening, before: View) -> None:
        place = before.place
        if place is None or button not in DIRECTIONS:
            return
        walls = tuple(wall for wall in self._walls.pop(place, ()) if wall != button)
        if effect.what == "wall":
            walls = (*walls, button)
        if walls:
            self._walls[place] = walls
            _bound(self._walls)

    def _talked(self, before: View, after: View) -> None:
        at = before.at
        step = _STEPS.get((at.facing or "") if at else "")
        if at is None or step is None or not after.lines:
            return
        x, y = at.x + step[0], at.y + step[1]
        npcs = (before.state.npcs or ()) if before.state else ()
        who = next((npc.local_id for npc in npcs if (npc.x, npc.y) == (x, y)), None)
        key = (at.map_id, who if who is not None else (x, y))
        earlier = self._talks.pop(key, None)
        text = " / ".join(after.lines)[:_DIALOG_TEXT]
        times = earlier.times + 1 if earlier else 1
        told = _told_talk(x, y, who, text, times)
        self._talks[key] = _Talk(at.map_id, who, times, told)
        _bound(self._talks)


def _told_talk(x: int, y: int, local_id: int | None, text: str, times: int) -> str:
    whom = f"localId {local_id}" if local_id is not None else "what stands"
    often = f" ({times} times)" if times > 1 else ""
    return f'A facing {whom} at ({x},{y}) opened "{text}"{often}'


def _told_way(start: Place, how: str, end: Place) -> str:
    return f"from {start[0]} ({start[1]},{start[2]}): {how} led to {end[0]} ({end[1]},{end[2]})"


def _present(talk: _Talk, view: View) -> bool:
    npcs = view.state.npcs if view.state else None
    if talk.local_id is None or not isinstance(npcs, tuple):
        return True
    return any(npc.local_id == talk.local_id for npc in npcs)


def _bound(entries: dict[KeyT, ValueT]) -> None:
    while len(entries) > REMEMBERED:
        del entries[next(iter(entries))]
