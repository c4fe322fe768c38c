"""Errands: what to do when nobody speaks and nothing hurts, as rules in the order of asking.

Each rule proposes moves, best first; the first that has not just failed is played.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from bodies.practice.model.players.minecraft.diary import Diary
from bodies.practice.model.players.minecraft.moves import (
    Move,
    build,
    craft,
    dig,
    follow,
    go,
    place,
)
from bodies.practice.model.players.minecraft.surroundings import Spot, Surroundings

STRAYS = 30
"""Blocks from home at which the player turns back."""
BUILDS_EVERY = 15
LOGS = ("oak_log", "birch_log", "spruce_log")
_TABLE = "crafting_table"
_TABLE_REACH = 3
_POST = 3
_WALL_ITEMS = ("cobblestone", "dirt", "oak_planks")


def craft_what_is_possible(seen: Surroundings) -> Iterator[Move]:
    """From logs by way of planks, sticks and a table to a pickaxe; then stone and light."""
    planks, sticks = seen.count("oak_planks"), seen.count("stick")
    table = next((spot for spot, _ in seen.nearest(_TABLE)), None)
    has_table = table is not None or seen.count(_TABLE) > 0
    if has_pickaxe(seen):
        if seen.count("coal") and sticks and seen.count("torch") < 4:
            yield craft("torch", 4, "Coal and a stick make light.")
        if seen.count("cobblestone") >= 3 and sticks >= 2 and not seen.count("stone_pickaxe"):
            yield from _at_table(seen, table, "stone_pickaxe")
        return
    if has_table and planks >= 3 and sticks >= 2:
        yield from _at_table(seen, table, "wooden_pickaxe")
    if not has_table and planks >= 4:
        yield craft(_TABLE, 1, "With a table I can make tools.")
    if has_table and planks >= 2 and sticks < 2:
        yield craft("stick", 4, "A tool needs a handle.")
    if seen.count("oak_log") and planks < 8:
        yield craft("oak_planks", 4, "Logs become planks.")


def collect(seen: Surroundings) -> Iterator[Move]:
    """Wood first; with a pickaxe ore and stone, too."""
    if seen.count("oak_log") < 6:
        for spot, block in seen.nearest(*LOGS):
            yield dig(spot, block, "Wood is the beginning of everything.")
    if has_pickaxe(seen):
        wanted = ["coal_ore"]
        if seen.count("stone_pickaxe"):
            wanted.append("iron_ore")
        if seen.count("cobblestone") < 8:
            wanted += ["stone", "cobblestone"]
        for spot, block in seen.nearest(*wanted):
            yield dig(spot, block, f"I have a pickaxe, and there is {block}.")
    if seen.count("dirt") < 5:
        for spot, block in seen.nearest("dirt", "grass_block"):
            if seen.feet is not None and spot != seen.feet.moved(0, -1, 0):
                yield dig(spot, block, "Some dirt at hand makes a roof in the night.")


def build_a_little(seen: Surroundings, diary: Diary) -> Iterator[Move]:
    """A post beside the player, now and then; dirt is kept for a roof."""
    since, feet = diary.since("built", seen.turn), seen.feet
    if feet is None or (since is not None and since < BUILDS_EVERY):
        return
    for item in _WALL_ITEMS:
        kept = 4 if item == "dirt" else 0
        if seen.count(item) >= _POST + kept and (item != "oak_planks" or has_pickaxe(seen)):
            for side in seen.beside(feet):
                spots = [side.moved(0, up, 0) for up in range(_POST)]
                if not any(map(seen.is_solid, spots)):
                    purpose = f"Build a post of {item} that shows the way home."
                    yield build(spots, item, "I want to leave a mark here.", purpose)


def keep_company(seen: Surroundings, luck: Random) -> Iterator[Move]:
    for name in seen.near:
        if luck.random() < 0.15:
            yield follow(name, 4, f"{name[:40]} is near; let us see what is going on there.")


def explore(seen: Surroundings, diary: Diary, luck: Random) -> Iterator[Move]:
    """Some way off, in a direction that luck decides; back towards home when that is far."""
    feet, home = seen.feet, diary.home
    if feet is None:
        return
    if home is not None and Spot(feet.x, home.y, feet.z).distance(home) > STRAYS:
        middle = Spot((feet.x + home.x) // 2, feet.y, (feet.z + home.z) // 2)
        yield go(middle, 6, "I have come far from home.", "on the way back home.")
    for _ in range(6):
        dx, dz = (
            luck.choice((-1, 1)) * luck.randint(5, 13),
            luck.choice((-1, 1)) * luck.randint(3, 13),
        )
        yield go(
            feet.moved(dx, 0, dz), 4, "I have not looked over there.", "and look around there."
        )


def has_pickaxe(seen: Surroundings) -> bool:
    return bool(seen.count("wooden_pickaxe") or seen.count("stone_pickaxe"))


def _at_table(seen: Surroundings, table: Spot | None, item: str) -> Iterator[Move]:
    """Put the table down or go to it, then make the item there."""
    feet = seen.feet
    if feet is None:
        return
    if table is None:
        if seen.count(_TABLE):
            for side in seen.beside(feet):
                yield place(side, _TABLE, "Here is a good place for the table.")
    elif table.distance(feet) > _TABLE_REACH:
        yield go(table, _TABLE_REACH, "The table is over there.", "and stand at the table.")
    else:
        yield craft(item, 1, f"Everything for a {item} is here.")
