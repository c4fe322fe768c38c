"""What a sampling of the world says, as the observations that the model and the trail are given.

The fields of every struct stand in alphabetical order of their names on disk, so that the encoding
is the canonical one (sorted keys, no spaces) and its digest can be made again by any reader.
Nothing is filled in: what the world did not read is null, what it read as empty is empty.
"""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Raw, Struct, UnsetType

from bodies.pokemon import wire
from kernel.journal.lines import opaque

Kind = Literal["danger", "scene", "overworld", "battle", "dialog", "menu"]

_SLOTS: dict[Kind, int] = {
    "danger": 1,
    "scene": 2,
    "overworld": 3,
    "battle": 4,
    "dialog": 5,
    "menu": 6,
}
_WALL = "#"


class Danger(Struct, frozen=True, rename="camel"):
    """How far the state can be trusted."""

    code: str
    severity: str
    state_certain: bool
    summary: str


class Scene(Struct, frozen=True, rename="camel"):
    input_ready: bool
    mode: str
    waiting_for_dialog_advance: bool


class Tile(Struct, frozen=True, rename="camel"):
    elevation: int | None
    metatile_id: int | None
    passable: bool
    x: int
    y: int


class Surroundings(Struct, frozen=True, rename="camel"):
    ahead: Tile | None
    east: Tile
    north: Tile
    south: Tile
    west: Tile


class Corner(Struct, frozen=True, rename="camel"):
    x: int
    y: int


class Minimap(Struct, frozen=True, rename="camel"):
    rows: tuple[str, ...]
    top_left: Corner


class Occupant(Struct, frozen=True, rename="camel"):
    facing: str | None
    graphics_id: int
    local_id: int
    x: int
    y: int


class Warp(Struct, frozen=True, rename="camel"):
    destination: str | None
    walk_to: str
    x: int
    y: int


class Neighbour(Struct, frozen=True, rename="camel"):
    destination: str
    direction: str


class Exits(Struct, frozen=True, rename="camel"):
    connections: tuple[Neighbour, ...] | None
    warps: tuple[Warp, ...] | None


class MapSize(Struct, frozen=True, rename="camel"):
    height: int
    width: int


class Member(Struct, frozen=True, rename="camel"):
    """One Pokémon of the party; numbers as the game has them."""

    current_hp: int
    level: int
    max_hp: int
    move_ids: tuple[int, ...] | UnsetType
    slot: int
    species_id: int


class Overworld(Struct, frozen=True, rename="camel"):
    """`ramStateSha256`, elevations and metatiles are not on the seat's wire: always null."""

    exits: Exits
    facing: str | None
    map_size: MapSize | None
    minimap: Minimap | None
    occupants: tuple[Occupant, ...] | None
    party: tuple[Member, ...] | UnsetType
    position: wire.MapPoint
    ram_state_sha256: str | None
    surroundings: Surroundings | None


class Battle(Struct, frozen=True, rename="camel"):
    """Of a battle the wire reads no more than the party."""

    party: tuple[Member, ...]


class Dialog(Struct, frozen=True, rename="camel"):
    line_index: int
    lines: tuple[str, ...]
    speaker: str
    untrusted: bool


class Menu(Struct, frozen=True, rename="camel"):
    cursor: int | None
    entries: tuple[wire.MenuEntry, ...]
    menu_id: str
    untrusted: bool


class Seen(Struct, frozen=True, rename="camel"):
    """One observation, with where and when it was made."""

    captured_at: str
    character_id: str
    data: Raw
    """A Danger, Scene, Overworld, Battle, Dialog or Menu, by `kind`."""
    frame: int
    goal_version: int
    kind: Kind
    observation_id: str
    schema_version: int
    session_id: str
    world_id: str


class Witness:
    """Turns samplings into observations, each with an id of its own."""

    def __init__(self, session_id: str, world_id: str, character_id: str, game_id: str) -> None:
        self._session_id = session_id
        self._world_id = world_id
        self._character_id = character_id
        self._game_id = game_id
        self._samplings = 0

    def shown_by(self, observed: wire.Observation) -> dict[Kind, Raw]:
        """What a screen says: danger and scene always, the rest as far as it was read."""
        shown: dict[Kind, Raw] = {
            "danger": _danger(observed),
            "scene": opaque(_scene(observed.scene)),
        }
        state = observed.state or None
        if state is None:
            return shown
        if state.overworld:
            overworld = _overworld(state, state.overworld, observed.minimap or None)
            shown["overworld"] = opaque(overworld)
        if observed.scene.mode == "battle" and state.party is not UNSET:
            shown["battle"] = opaque(Battle(_party(state.party)))
        if state.dialog_lines:
            shown["dialog"] = opaque(Dialog(0, state.dialog_lines, self._game_id, True))
        if menu := state.menu:
            shown["menu"] = opaque(Menu(menu.cursor, menu.entries, menu.menu_id, True))
        return shown

    def observations(self, observed: wire.Observation, shown: dict[Kind, Raw]) -> list[Seen]:
        """The observations of this sampling, whose screen says `shown`."""
        at, frame, ids = observed.observed_at, observed.frame, self._samplings * len(_SLOTS)
        who, session, world = self._character_id, self._session_id, self._world_id
        self._samplings += 1
        return [
            Seen(
                at,
                who,
                data,
                frame,
                1,
                kind,
                f"world-observation-{ids + _SLOTS[kind]}",
                1,
                session,
                world,
            )
            for kind, data in shown.items()
        ]


def undecoded(observed: wire.Observation) -> bool:
    """Whether nothing that stands on the screen was read: no place, no text, no menu."""
    state = observed.state or None
    return not observed.scene.decoded or not (
        state and (state.overworld or state.dialog_lines or state.menu)
    )


_DECODED = opaque(
    Danger(
        "policy_boundary",
        "low",
        True,
        "The screen is decoded; the world is shared and may move on by itself",
    )
)
_NOT_DECODED = opaque(
    Danger(
        "uncertain_state",
        "low",
        False,
        "The screen is not decoded, as in boots and intros; buttons and waiting still work",
    )
)


def _danger(observed: wire.Observation) -> Raw:
    if not undecoded(observed):
        return _DECODED
    mode = observed.scene.mode
    if not observed.scene.decoded or mode == "unknown":
        return _NOT_DECODED
    return opaque(
        Danger(
            "input_bound",
            "low",
            False,
            f"A {mode} screen: no position, text or menu to read; buttons and waiting still work",
        )
    )


def _scene(scene: wire.Scene) -> Scene:
    return Scene(scene.input_ready, scene.mode, scene.waiting_for_advance)


def _overworld(
    state: wire.GameState, at: wire.Overworld, minimap: wire.Minimap | None
) -> Overworld:
    size = state.map_size or None
    return Overworld(
        _exits(state, minimap),
        at.facing,
        MapSize(size.height, size.width) if size else None,
        Minimap(minimap.rows, Corner(minimap.top_left.x, minimap.top_left.y)) if minimap else None,
        _occupants(state.npcs),
        UNSET if state.party is UNSET else _party(state.party),
        wire.MapPoint(at.map_id, at.x, at.y),
        None,
        _surroundings(at, minimap) if minimap else None,
    )


def _exits(state: wire.GameState, minimap: wire.Minimap | None) -> Exits:
    connections = state.connections
    warps = minimap.exits if minimap else UNSET
    return Exits(
        None
        if connections is UNSET
        else tuple(Neighbour(c.destination, c.direction) for c in connections),
        None if warps is UNSET else tuple(Warp(e.to, e.walk_to, e.at.x, e.at.y) for e in warps),
    )


def _occupants(npcs: tuple[wire.Npc, ...] | UnsetType) -> tuple[Occupant, ...] | None:
    if npcs is UNSET:
        return None
    return tuple(Occupant(n.facing or None, n.graphics_id, n.local_id, n.x, n.y) for n in npcs)


def _party(party: tuple[wire.PartyMember, ...]) -> tuple[Member, ...]:
    return tuple(
        Member(m.current_hp, m.level, m.max_hp, m.move_ids, m.slot, m.species_id) for m in party
    )


def _surroundings(at: wire.Overworld, minimap: wire.Minimap) -> Surroundings | None:
    """The four tiles around the player; null when one of them lies outside the minimap."""
    x, y, rows = at.x, at.y, minimap.rows
    row, column = y - minimap.top_left.y, x - minimap.top_left.x
    if row < 1 or column < 1:
        return None
    try:
        tiles = {
            "east": Tile(None, None, rows[row][column + 1] != _WALL, x + 1, y),
            "north": Tile(None, None, rows[row - 1][column] != _WALL, x, y - 1),
            "south": Tile(None, None, rows[row + 1][column] != _WALL, x, y + 1),
            "west": Tile(None, None, rows[row][column - 1] != _WALL, x - 1, y),
        }
    except IndexError:
        return None
    return Surroundings(tiles.get(at.facing or ""), **tiles)
