"""Pictures are PNG files that show the scene."""

import struct
import zlib

import pytest

from bodies.practice.world import picture
from bodies.practice.world.country import SCENE_NAMES, Country


def _chunks(file):
    assert file[:8] == b"\x89PNG\r\n\x1a\n"
    at = 8
    while at < len(file):
        size, kind = struct.unpack(">I4s", file[at : at + 8])
        data = file[at + 8 : at + 8 + size]
        assert struct.unpack(">I", file[at + 8 + size : at + 12 + size])[0] == zlib.crc32(
            kind + data
        )
        yield kind, data
        at += 12 + size


@pytest.mark.parametrize("scene", SCENE_NAMES)
def test_every_scene_is_a_png_of_240_by_160(scene):
    country = Country()
    country.enter("p", None)
    country.show("p", scene)
    chunks = dict(_chunks(picture.png(picture.sight(country, "p"))))
    assert list(chunks) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    assert struct.unpack(">IIBB", chunks[b"IHDR"][:10]) == (240, 160, 8, 3)
    pixels = zlib.decompress(chunks[b"IDAT"])
    assert len(pixels) == 160 * 241
    assert max(pixels) < len(chunks[b"PLTE"]) // 3


def test_scenes_look_different_and_an_equal_sight_is_drawn_once():
    country = Country()
    country.enter("p", None)
    drawn = set()
    for scene in SCENE_NAMES:
        country.show("p", scene)
        drawn.add(picture.png(picture.sight(country, "p")))
    assert len(drawn) == len(SCENE_NAMES)
    again = picture.png(picture.sight(country, "p"))
    assert again is picture.png(picture.sight(country, "p"))
