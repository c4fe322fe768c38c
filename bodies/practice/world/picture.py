"""The picture: what a player's screen looks like, 240 by 160, as PNG.

Fifteen by ten tiles around the player, people as small figures, text in a box. `Sight` is all that
a picture depends on, so an equal sight is an equal picture and need not be drawn again.
"""

import struct
import zlib
from functools import lru_cache

import msgspec

from bodies.practice.world.atlas import PLACES
from bodies.practice.world.country import Country
from bodies.practice.world.glyphs import glyph
from bodies.practice.world.naming import KEYS
from bodies.practice.world.places import Direction, Spot
from bodies.practice.world.scenes import (
    Battle,
    Boot,
    Cutscene,
    Dialog,
    Menu,
    Naming,
    Scene,
    Walking,
)

WIDTH, HEIGHT = 240, 160
_TILE = 16
_COLUMNS, _ROWS = WIDTH // _TILE, HEIGHT // _TILE
_PALETTE = (
    (16, 16, 24),  # 0 ink
    (248, 248, 240),  # 1 paper
    (144, 200, 120),  # 2 ground
    (128, 184, 104),  # 3 ground, speckled
    (56, 136, 72),  # 4 grass
    (32, 96, 56),  # 5 tree
    (120, 88, 64),  # 6 wall
    (152, 112, 80),  # 7 wall, lit
    (80, 136, 208),  # 8 water
    (112, 168, 232),  # 9 water, lit
    (216, 176, 96),  # 10 door, ledge
    (200, 72, 64),  # 11 the player
    (88, 88, 176),  # 12 a resident
    (240, 200, 168),  # 13 skin
    (176, 96, 168),  # 14 another player, a wild creature
)
_INK, _PAPER, _GROUND, _WATER = 0, 1, 2, 8
_PLAYER, _RESIDENT, _SKIN, _STRANGER = 11, 12, 13, 14
_TEXTURES = {  # colour, second colour, how many pixels apart the second one stands
    "#": (6, 7, 4),
    "T": (5, 4, 3),
    "w": (8, 9, 5),
    "s": (6, 1, 2),
    "c": (7, 6, 8),
    ".": (2, 3, 7),
    "~": (4, 2, 3),
    "v": (10, 6, 4),
    "D": (10, 0, 8),
    "m": (10, 7, 2),
}
_FIGURE = (
    "....kkkk....",
    "...kkkkkk...",
    "...kssssk...",
    "...ssssss...",
    "....ssss....",
    "..cccccccc..",
    "..cccccccc..",
    "..sccccccs..",
    "....cccc....",
    "....cccc....",
    "....k..k....",
    "....k..k....",
)


class Figure(msgspec.Struct, frozen=True):
    """Somebody on the screen; `colour` is an index of the palette."""

    spot: Spot
    facing: Direction
    colour: int


class Sight(msgspec.Struct, frozen=True):
    """Everything that a picture shows."""

    center: Spot
    scene: Scene
    figures: tuple[Figure, ...]


def sight(country: Country, player_id: str) -> Sight:
    """What this player sees now."""
    player = country.player(player_id)
    figures = [
        Figure(person.spot, person.facing, _RESIDENT)
        for person in country.people_on(player.spot.map_id)
    ]
    figures += [Figure(o.spot, o.facing, _STRANGER) for o in country.others_on(player)]
    figures.append(Figure(player.spot, player.facing, _PLAYER))
    scene = Walking() if isinstance(player.scene, Walking) else player.scene
    return Sight(player.spot, scene, tuple(figures))


@lru_cache(maxsize=64)
def png(seen: Sight) -> bytes:
    """The sight as a PNG file with a palette."""
    pixels = _paint(seen)
    lines = b"".join(
        b"\0" + pixels[start : start + WIDTH] for start in range(0, len(pixels), WIDTH)
    )
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)
    palette = bytes(channel for colour in _PALETTE for channel in colour)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", header),
            _chunk(b"PLTE", palette),
            _chunk(b"IDAT", zlib.compress(lines, 6)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    checked = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checked)


def _paint(seen: Sight) -> bytearray:
    match seen.scene:
        case Boot():
            return bytearray([_INK]) * (WIDTH * HEIGHT)
        case Cutscene(then=then):
            pixels = bytearray([_WATER]) * (WIDTH * HEIGHT)
            _write(pixels, ("...", then.replace("-", " ")), 96, 72)
        case Naming() as naming:
            pixels = bytearray([_PAPER]) * (WIDTH * HEIGHT)
            _box(pixels, 20 + naming.column * 12, 15 + (naming.row + 2) * 10, 12, 9, _PLAYER)
            _write(pixels, (f"NAME: {naming.typed}", "", *map(_spaced, KEYS)), 24, 16)
        case Battle() as fight:
            pixels = bytearray([_GROUND]) * (WIDTH * HEIGHT)
            _figure(pixels, 170, 24, _STRANGER)
            _figure(pixels, 50, 76, _PLAYER)
            _write(pixels, (f"{fight.foe.kind.name} L{fight.foe.level}",), 150, 12)
            _say(pixels, _battle_lines(fight))
        case Dialog(pages=pages, page=page):
            pixels = _map(seen)
            _say(pixels, tuple(pages[page].split("\n")))
        case Menu() as menu:
            pixels = _map(seen)
            _say(pixels, _menu_lines(menu))
        case Walking():
            pixels = _map(seen)
    return pixels


def _map(seen: Sight) -> bytearray:
    place = PLACES[seen.center.map_id]
    left, top = seen.center.x - _COLUMNS // 2, seen.center.y - _ROWS // 2
    rows: list[bytes] = []
    for y in range(top, top + _ROWS):
        tiles = [
            _texture(place.tile(x, y) if place.contains(x, y) else " ")
            for x in range(left, left + _COLUMNS)
        ]
        rows += [b"".join(tile[line] for tile in tiles) for line in range(_TILE)]
    pixels = bytearray().join(rows)
    for figure in seen.figures:
        x, y = (figure.spot.x - left) * _TILE, (figure.spot.y - top) * _TILE
        if 0 <= x < WIDTH and 0 <= y < HEIGHT:
            _figure(pixels, x + 2, y + 2, figure.colour)
    return pixels


@lru_cache(maxsize=32)
def _texture(tile: str) -> tuple[bytes, ...]:
    colour, second, apart = _TEXTURES.get(tile, (_INK, _INK, 1))
    return tuple(
        bytes(
            second if (x + y * 3) % apart == 0 and apart > 1 and y % 4 == 1 else colour
            for x in range(_TILE)
        )
        for y in range(_TILE)
    )


def _figure(pixels: bytearray, x: int, y: int, colour: int) -> None:
    colours = {"k": _INK, "s": _SKIN, "c": colour}
    for dy, row in enumerate(_FIGURE):
        for dx, kind in enumerate(row):
            if kind != ".":
                pixels[(y + dy) * WIDTH + x + dx] = colours[kind]


def _say(pixels: bytearray, lines: tuple[str, ...]) -> None:
    height = 12 + 10 * max(2, len(lines))
    _box(pixels, 4, HEIGHT - height - 4, WIDTH - 8, height, _INK)
    _box(pixels, 6, HEIGHT - height - 2, WIDTH - 12, height - 4, _PAPER)
    _write(pixels, lines, 12, HEIGHT - height + 4)


def _menu_lines(menu: Menu) -> tuple[str, ...]:
    return tuple(
        f"{'>' if index == menu.cursor else ' '} {entry.label}"
        for index, entry in enumerate(menu.entries)
    )


def _battle_lines(fight: Battle) -> tuple[str, ...]:
    if fight.menu is not None:
        return _menu_lines(fight.menu)
    return tuple(fight.pages[fight.page].split("\n"))


def _spaced(keys: str) -> str:
    return "  ".join(keys)


def _box(pixels: bytearray, x: int, y: int, width: int, height: int, colour: int) -> None:
    for row in range(y, y + height):
        pixels[row * WIDTH + x : row * WIDTH + x + width] = bytes([colour]) * width


def _write(pixels: bytearray, lines: tuple[str, ...], x: int, y: int) -> None:
    for number, line in enumerate(lines):
        column = x
        for letter in line:
            rows = glyph(letter)
            if column + len(rows[0]) >= WIDTH:
                break
            for dy, row in enumerate(rows):
                for dx, dot in enumerate(row):
                    if dot == "X":
                        pixels[(y + number * 10 + dy) * WIDTH + column + dx] = _INK
            column += len(rows[0]) + 1
