"""What is recognized in a public motor's prose, and what is not."""

from __future__ import annotations

import pytest

from bodies.minecraft import wire
from bodies.minecraft.public.prose import (
    read_chat,
    read_inventory,
    read_look,
    tells_failure,
    tells_no_bot,
)

LOOK = """\
You are at position: (12.50, 64.00, -3.50)
Health: 17.5/20
Food: 18/20

Nearby players:
- Kim at (14.0, 64.0, -3.0)
- Bo: x: 1, y: 64, z: 2

Nearby blocks:
- oak_log at (13, 64, -5)
- water at (13.5, 64, -5)
"""


def test_a_look_around_is_read() -> None:
    look = read_look(LOOK)
    assert look.place == wire.Point(12.5, 64, -3.5)
    assert (look.health, look.food) == (17.5, 18)
    assert dict(look.players) == {"Kim": wire.Point(14, 64, -3), "Bo": wire.Point(1, 64, 2)}
    assert look.blocks == (("oak_log", wire.BlockPosition(13, 64, -5)),)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Position: x=1, y=64, z=-2", wire.Point(1, 64, -2)),
        ("Bot location is 1.5 64 -2.5.", wire.Point(1.5, 64, -2.5)),
        ("coordinates (1, 64, 2)", wire.Point(1, 64, 2)),
        ("A tree at (1, 64, 2)", None),
        ("", None),
        ("Position: unknown", None),
    ],
)
def test_only_the_own_place_is_taken_for_it(text: str, place: wire.Point | None) -> None:
    assert read_look(text).place == place


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("- oak_log x 3\n- oak_log: 2\n- 4 x stick", {"oak_log": 5, "stick": 4}),
        ("- stone (64)\n12 dirt", {"stone": 64, "dirt": 12}),
        ("Inventory (2 items):\nEmpty slots: 30", {}),
        ("You carry nothing.", {}),
    ],
)  # fmt: skip
def test_an_inventory_is_read(text: str, counts: dict[str, int]) -> None:
    assert read_inventory(text) == counts


def test_chat_is_read_in_order_and_cut() -> None:
    text = "Recent chat:\n[12:00:01] <Kim> hello: you\nAlex: " + "x" * 300 + "\n*** Kim joined"
    assert read_chat(text) == (("Kim", "hello: you"), ("Alex", "x" * 256))


@pytest.mark.parametrize(
    ("text", "failed", "no_bot"),
    [
        ("Successfully crafted 4 oak_planks", False, False),
        ("Arrived at (1, 64, 2)", False, False),
        ("Could not find a path to the location", True, False),
        ("Failed to craft: not enough oak_log", True, False),
        ("You don't have any dirt", True, False),
        ("Error: no bot is connected. Use joinGame first.", True, True),
        ("Bot not found", True, True),
        ("The bot was kicked: full", True, True),
        ("I saw a robot", False, False),
    ],
)
def test_words_of_failure(text: str, failed: bool, no_bot: bool) -> None:
    assert (tells_failure(text), tells_no_bot(text)) == (failed, no_bot)
