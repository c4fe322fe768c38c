"""Exploring: what to do in the open, as rules in the order in which they are asked.

Each rule proposes moves, best first; the first that is not known to fail is played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from bodies.practice.model.players.pokemon.ground import Ground
from bodies.practice.model.players.pokemon.moves import (
    FACINGS,
    STEP_FRAMES,
    STEPS,
    TAP_FRAMES,
    TURN_FRAMES,
    Direction,
    Move,
    Tile,
    press,
    walk,
)
from bodies.practice.model.players.pokemon.notebook import Notebook, Page, tile_item
from bodies.practice.model.players.pokemon.screen import Exit, Screen, advised

APPROACHES = 3
"""So often a person who wanders is walked to within the turns that the prompt shows."""
PEOPLE_WITHIN = 14
SIGNS_WITHIN = 10
TOWARD: dict[str, Direction] = {FACINGS[button]: button for button in STEPS}


@dataclass(frozen=True, slots=True)
class Outing:
    """Where the player stands, and everything that the rules may know."""

    screen: Screen
    map_id: str
    facing: str | None
    ground: Ground
    notebook: Notebook
    told: str
    luck: Random

    @property
    def page(self) -> Page:
        return self.notebook.on(self.map_id)


def explore(outing: Outing) -> Iterator[Move]:
    """Moves in the open, the one that the rules like best first."""
    signals = outing.screen.signals
    if signals.repeating_for_turns or signals.recurring_for_turns:
        rules = _IN_A_LOOP
    elif signals.locale_for_turns or signals.stalled_for_turns:
        rules = _LONG_ENOUGH_HERE
    else:
        rules = _USUAL
    for rule in rules:
        yield from rule(outing)


def what_was_advised(outing: Outing) -> Iterator[Move]:
    tile = advised(outing.screen)
    if tile is not None and tile in outing.ground.steps and tile != outing.ground.at:
        yield walk(
            tile,
            "That tile was refused, but a near one was named.",
            "instead of the tile that was refused.",
        )


def talk_to_who_is_beside(outing: Outing) -> Iterator[Move]:
    for person in outing.screen.npcs or ():
        if str(person.local_id) not in outing.page.under("talked to"):
            yield from _face_and_press(
                outing,
                (person.x, person.y),
                "Somebody stands right here whom I have not talked to.",
                f"talk to person {person.local_id}",
                ("talked to", str(person.local_id)),
            )


def look_at_what_is_beside(outing: Outing) -> Iterator[Move]:
    looked = outing.page.tiles("looked at")
    for tile, _ in outing.ground.beside(outing.ground.at):
        if outing.ground.is_alone(tile) and tile not in looked:
            yield from _face_and_press(
                outing,
                tile,
                "Something stands alone here, as signs do.",
                f"interact with what stands at ({tile[0]},{tile[1]})",
                ("looked at", tile_item(tile)),
            )


def walk_to_people(outing: Outing) -> Iterator[Move]:
    talked = outing.page.under("talked to")
    posts = [
        (steps, post, person)
        for person in outing.screen.npcs or ()
        if str(person.local_id) not in talked
        and outing.told.count(f"to person {person.local_id} ") < APPROACHES
        for steps, post, _ in outing.ground.posts((person.x, person.y))[:1]
        if 0 < steps <= PEOPLE_WITHIN
    ]
    for _, post, person in sorted(posts, key=lambda found: found[:2]):
        if post != outing.ground.at:
            yield walk(
                post,
                f"I have not talked to the person at ({person.x},{person.y}) yet.",
                f"and go up to person {person.local_id} for a talk.",
            )


def walk_to_signs(outing: Outing) -> Iterator[Move]:
    looked = outing.page.tiles("looked at")
    posts = [
        (steps, post, tile)
        for tile in outing.ground.glyphs
        if tile not in looked and outing.ground.is_alone(tile)
        for steps, post, _ in outing.ground.posts(tile)[:1]
        if 0 < steps <= SIGNS_WITHIN
    ]
    for _, post, tile in sorted(posts):
        if post != outing.ground.at:
            yield walk(
                post,
                f"What stands alone at ({tile[0]},{tile[1]}) may be a sign.",
                "and look at what stands there.",
            )


def take_a_new_way_out(outing: Outing) -> Iterator[Move]:
    """Exits and edges that lead to a map which the notes do not know, or nobody knows where."""
    yield from _ways_out(outing, lambda to: to is None or to not in outing.notebook.pages, new=True)


def take_any_way_out(outing: Outing) -> Iterator[Move]:
    yield from _ways_out(outing, lambda _: True, new=False)


def tread_new_ground(outing: Outing) -> Iterator[Move]:
    """A tile that is far from where the player stood on this map."""
    stood = (*outing.page.tiles("stood on"), outing.ground.at)
    for tile in _tiles_to_walk_to(outing):
        if all(abs(tile[0] - x) + abs(tile[1] - y) >= 4 for x, y in stood):
            yield walk(tile, "I have not been over there yet.", "and see what is there.")


def tread_any_ground(outing: Outing) -> Iterator[Move]:
    for tile in _tiles_to_walk_to(outing):
        yield walk(tile, "A change of place may show something new.", "and move on from here.")


def push(outing: Outing) -> Iterator[Move]:
    yield from pushes(outing.screen, outing.luck)


def pushes(screen: Screen, luck: Random) -> Iterator[Move]:
    """A step by the buttons, in a direction that was not blocked here."""
    directions: list[Direction] = [way for way in STEPS if way not in screen.signals.refused_here]
    for direction in luck.sample(directions, len(directions)):
        yield press(
            direction, STEP_FRAMES, "I try a step and see whether it works.", "to take a step."
        )


Rule = Callable[[Outing], Iterator[Move]]

_USUAL: tuple[Rule, ...] = (
    what_was_advised,
    talk_to_who_is_beside,
    look_at_what_is_beside,
    walk_to_people,
    walk_to_signs,
    take_a_new_way_out,
    tread_new_ground,
    take_any_way_out,
    tread_any_ground,
    push,
)
_LONG_ENOUGH_HERE: tuple[Rule, ...] = (
    take_a_new_way_out,
    take_any_way_out,
    tread_new_ground,
    tread_any_ground,
    push,
)
_IN_A_LOOP: tuple[Rule, ...] = (
    tread_new_ground,
    tread_any_ground,
    take_any_way_out,
    push,
)


def _face_and_press(
    outing: Outing, tile: Tile, thought: str, purpose: str, mark: tuple[str, str]
) -> Iterator[Move]:
    """Press A when the tile is faced, else turn to it; nothing where it cannot be faced."""
    here: list[Direction] = [
        d for _, post, d in outing.ground.posts(tile) if post == outing.ground.at
    ]
    for direction in here[:1]:
        if outing.facing == FACINGS[direction]:
            yield press("a", TAP_FRAMES, thought, f"to {purpose}.", mark)
        else:
            yield press(direction, TURN_FRAMES, thought, f"to turn around, then {purpose}.")


def _ways_out(outing: Outing, wanted: Callable[[str | None], bool], *, new: bool) -> Iterator[Move]:
    """Ways out whose destination is wanted: never taken ones first, then long-forgotten ones."""
    known = list(outing.notebook.pages)
    taken = outing.page.under("took")
    ways: list[tuple[int, int, int, Move]] = []
    for item, to, steps, move in (*_exits(outing), *_edges(outing)):
        if not wanted(to) or (new and item in taken):
            continue
        used = taken.index(item) if item in taken else -1
        visited = known.index(to) if to in known else -1
        ways.append((visited, used, steps, move))
    yield from (move for *_, move in sorted(ways, key=lambda way: way[:3]))


def _exits(outing: Outing) -> Iterator[tuple[str, str | None, int, Move]]:
    shut = outing.page.tiles("no way to")
    exits = outing.screen.exits or ()
    doors = {way.to for way in exits if way.walk_to == "supported"}
    for way in exits:
        tile = (way.x, way.y)
        mark = ("took", tile_item(tile))
        leads = f" to {way.to[:60]}" if way.to else ""
        thought = f"There is a way out at ({way.x},{way.y}){leads}."
        if way.walk_to == "supported":
            steps = outing.ground.steps.get(tile)
            if steps and tile not in shut:
                move = walk(tile, thought, "and go through the exit.", mark)
                yield mark[1], way.to, steps, move
        elif way.to not in doors:
            yield from (
                (mark[1], way.to, steps, move)
                for steps, move in _by_buttons(outing, way, thought, mark)
            )


def _by_buttons(
    outing: Outing, way: Exit, thought: str, mark: tuple[str, str]
) -> Iterator[tuple[int, Move]]:
    """An exit that is no target for walking: walk beside it, step onto it, push on outwards."""
    tile = (way.x, way.y)
    ground = outing.ground
    if tile == ground.at:
        for direction, (dx, dy) in STEPS.items():
            if not ground.open((tile[0] + dx, tile[1] + dy)):
                purpose = "to go out through the exit."
                yield 1, press(direction, STEP_FRAMES, thought, purpose, mark)
        return
    posts: Iterator[tuple[int, Tile, Direction]] = (
        (ground.steps[post], post, direction)
        for post, direction in ground.beside(tile)
        if post in ground.steps
    )
    for steps, post, direction in sorted(posts):
        if post == ground.at:
            yield steps, press(direction, STEP_FRAMES, thought, "to step onto the exit.")
        else:
            yield steps, walk(post, thought, "and stand beside the exit.")


def _edges(outing: Outing) -> Iterator[tuple[str, str | None, int, Move]]:
    """Neighbouring maps: walk to the edge, then step over it."""
    minimap = outing.screen.minimap
    if minimap is None or not minimap.rows:
        return
    at = outing.ground.at
    bottom, right = minimap.y + len(minimap.rows) - 1, minimap.x + len(minimap.rows[0]) - 1
    edge = {
        "north": (1, minimap.y),
        "south": (1, bottom),
        "west": (0, minimap.x),
        "east": (0, right),
    }
    shut = outing.page.tiles("no way to")
    for connection in outing.screen.connections or ():
        button = TOWARD.get(connection.direction)
        if button is None:
            continue
        axis, line = edge[connection.direction]
        to, mark = connection.destination, ("took", connection.direction)
        thought = f"To the {connection.direction} the way leads on to {to[:60]}."
        if at[axis] == line and button not in outing.screen.signals.refused_here:
            move = press(button, STEP_FRAMES, thought, "to cross over to the next map.", mark)
            yield mark[1], to, 1, move
        for tile, steps in outing.ground.steps.items():
            if tile[axis] == line and tile not in shut and steps and outing.ground.open(tile):
                yield mark[1], to, steps, walk(tile, thought, "at the edge of this map.")


def _tiles_to_walk_to(outing: Outing) -> list[Tile]:
    """Reachable tiles in an order that luck decides, those at some distance first."""
    shut = outing.page.tiles("no way to")
    tiles = [
        tile
        for tile, steps in outing.ground.steps.items()
        if steps and tile not in shut and outing.ground.glyphs[tile] != "D"
    ]
    shuffled = outing.luck.sample(tiles, len(tiles))
    return sorted(shuffled, key=lambda tile: not 4 <= outing.ground.steps[tile] <= 12)
