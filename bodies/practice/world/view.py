"""The view: what one player's observation says about the game at this frame."""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from bodies.practice.world.atlas import PLACES
from bodies.practice.world.country import Country, SceneName
from bodies.practice.world.places import BLOCKING, BORDER, Place, Spot
from bodies.practice.world.scenes import (
    Battle,
    Boot,
    Cutscene,
    Dialog,
    Entry,
    Menu,
    Naming,
    Player,
    Scene,
    Walking,
)

GameId = Literal["firered", "emerald"]
REACH = 12
"""The minimap shows this many tiles to every side, as far as the map goes."""
_PLAYERS_FROM = 200
"""Other players appear among the npcs with local ids from here on."""


class _Wire(msgspec.Struct, frozen=True, rename="camel"):
    pass


class SceneView(_Wire, frozen=True):
    mode: SceneName
    input_ready: bool
    waiting_for_advance: bool
    decoded: bool


class Exit(_Wire, frozen=True):
    at: Spot
    to: str
    walk_to: Literal["supported", "unsupported"]


class Minimap(_Wire, frozen=True):
    top_left: Spot
    rows: tuple[str, ...]
    exits: tuple[Exit, ...]


class OverworldView(_Wire, frozen=True):
    map_id: str
    map_group: int
    map_num: int
    x: int
    y: int
    facing: str


class PartyMember(_Wire, frozen=True):
    slot: int
    species_id: int
    level: int
    current_hp: int
    max_hp: int
    move_ids: tuple[int, ...]


class Npc(_Wire, frozen=True):
    local_id: int
    graphics_id: int
    x: int
    y: int
    facing: str | None


class MenuView(_Wire, frozen=True):
    menu_id: str
    cursor: int
    entries: tuple[Entry, ...]


class MapSize(_Wire, frozen=True):
    width: int
    height: int


class Connection(_Wire, frozen=True):
    direction: str
    destination: str


class StateView(_Wire, frozen=True):
    """An absent field was not read; that is not the same as an empty one."""

    overworld: OverworldView | None
    party: tuple[PartyMember, ...]
    field_input_ready: bool
    dialog_lines: tuple[str, ...] | UnsetType = UNSET
    menu: MenuView | None = None
    npcs: tuple[Npc, ...] | UnsetType = UNSET
    map_size: MapSize | UnsetType = UNSET
    connections: tuple[Connection, ...] | UnsetType = UNSET


class View(msgspec.Struct, frozen=True):
    """One player's screen as data."""

    scene: SceneView
    minimap: Minimap | None
    state: StateView | None


def view(country: Country, player_id: str, game: GameId) -> View:
    """What this player sees now. Emerald reads less: no people, map sizes or connections."""
    player = country.player(player_id)
    scene = _scene(player, country.frame)
    if not scene.decoded:
        return View(scene, None, None)
    place = PLACES[player.spot.map_id]
    lines, menu = _said(player.scene)
    party = _party(player)
    if not isinstance(player.scene, Walking | Dialog | Menu) or "named" not in player.flags:
        return View(scene, None, StateView(None, party, False, lines, menu))
    overworld = OverworldView(
        place.map_id, place.group, place.number, player.spot.x, player.spot.y, player.facing
    )
    state = StateView(overworld, party, scene.input_ready, lines, menu)
    if game == "firered":
        state = msgspec.structs.replace(
            state,
            npcs=_npcs(country, player),
            map_size=MapSize(place.width, place.height),
            connections=tuple(Connection(link.direction, link.to) for link in place.links),
        )
    return View(scene, _minimap(place, player.spot), state)


def _scene(player: Player, frame: int) -> SceneView:
    match player.scene:
        case Boot():
            return SceneView("unknown", False, False, False)
        case Cutscene():
            return SceneView("cutscene", False, False, True)
        case Naming():
            return SceneView("naming", False, False, True)
        case Menu():
            return SceneView("menu", False, False, True)
        case Dialog(printed_at=printed_at):
            return SceneView("dialog", False, frame >= printed_at, True)
        case Battle(menu=menu, printed_at=printed_at):
            return SceneView("battle", False, menu is None and frame >= printed_at, True)
        case Walking(ready_at):
            return SceneView("overworld", frame >= ready_at, False, True)


def _said(scene: Scene) -> tuple[tuple[str, ...], MenuView | None]:
    match scene:
        case Dialog(pages=pages, page=page) | Battle(pages=pages, page=page, menu=None):
            return tuple(pages[page].split("\n")), None
        case Menu() as menu:
            return (), MenuView(menu.menu_id, menu.cursor, menu.entries)
        case Battle(menu=Menu() as menu):
            return (), MenuView(menu.menu_id, menu.cursor, menu.entries)
        case _:
            return (), None


def _party(player: Player) -> tuple[PartyMember, ...]:
    return tuple(
        PartyMember(slot, c.species_id, c.level, c.hp, c.max_hp, c.kind.moves)
        for slot, c in enumerate(player.party)
    )


def _npcs(country: Country, player: Player) -> tuple[Npc, ...]:
    residents = [
        Npc(
            person.resident.local_id,
            person.resident.graphics_id,
            person.spot.x,
            person.spot.y,
            person.facing,
        )
        for person in country.people_on(player.spot.map_id)
    ]
    players = [
        Npc(_PLAYERS_FROM + index, 1, other.spot.x, other.spot.y, other.facing)
        for index, other in enumerate(country.others_on(player))
    ]
    return (*residents, *players)


def _minimap(place: Place, center: Spot) -> Minimap:
    left, top = max(BORDER, center.x - REACH), max(BORDER, center.y - REACH)
    right = min(BORDER + place.width, center.x + REACH + 1)
    bottom = min(BORDER + place.height, center.y + REACH + 1)
    rows = tuple(
        "".join(_letter(place, x, y, center) for x in range(left, right))
        for y in range(top, bottom)
    )
    exits = tuple(
        Exit(warp.at, warp.to.map_id, "supported" if warp.by_stepping else "unsupported")
        for warp in place.warps
        if left <= warp.at.x < right and top <= warp.at.y < bottom
    )
    return Minimap(Spot(place.map_id, left, top), rows, exits)


def _letter(place: Place, x: int, y: int, center: Spot) -> str:
    if x == center.x and y == center.y:
        return "@"
    tile = place.tile(x, y)
    if tile in BLOCKING:
        return "#"
    return "D" if tile == "m" else tile
