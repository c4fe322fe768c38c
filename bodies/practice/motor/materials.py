"""Materials: how long a block takes to dig, what falls out of it, and what can be made of what."""

from collections.abc import Mapping

from msgspec import Struct

from bodies.practice.world.chance import roll

OPEN = frozenset(("air", "torch", "ladder"))
"""Blocks that one walks through."""
REPLACEABLE = frozenset(("air", "water"))
UNDIGGABLE = frozenset(("air", "water", "bedrock"))
FOOD = {"bread": 5, "apple": 4}

Inventory = Mapping[str, int]


class Recipe(Struct, frozen=True):
    """One round makes `makes` items out of `needs`; some only beside a crafting table."""

    makes: int
    needs: dict[str, int]
    at_table: bool = False


RECIPES: dict[str, Recipe] = {
    "oak_planks": Recipe(4, {"oak_log": 1}),
    "stick": Recipe(4, {"oak_planks": 2}),
    "crafting_table": Recipe(1, {"oak_planks": 4}),
    "torch": Recipe(4, {"coal": 1, "stick": 1}),
    "wooden_pickaxe": Recipe(1, {"oak_planks": 3, "stick": 2}, at_table=True),
    "wooden_axe": Recipe(1, {"oak_planks": 3, "stick": 2}, at_table=True),
    "stone_pickaxe": Recipe(1, {"cobblestone": 3, "stick": 2}, at_table=True),
    "furnace": Recipe(1, {"cobblestone": 8}, at_table=True),
    "chest": Recipe(1, {"oak_planks": 8}, at_table=True),
    "ladder": Recipe(3, {"stick": 7}, at_table=True),
}
PLACEABLE = frozenset(
    (
        "dirt",
        "sand",
        "cobblestone",
        "oak_log",
        "oak_planks",
        "crafting_table",
        "torch",
        "furnace",
        "chest",
        "ladder",
    )
)

_BARE_HAND = {
    "dirt": 3,
    "grass_block": 3,
    "sand": 3,
    "oak_leaves": 2,
    "torch": 1,
    "ladder": 3,
    "stone": 30,
    "cobblestone": 30,
    "furnace": 40,
    "coal_ore": 60,
    "iron_ore": 60,
}
_WOOD_TICKS = 12
_PICKS = ("wooden_pickaxe", "stone_pickaxe")
_NEEDS_PICK = frozenset(("stone", "cobblestone", "furnace", "coal_ore", "iron_ore"))
_FALLS = {"grass_block": "dirt", "stone": "cobblestone", "coal_ore": "coal", "iron_ore": "raw_iron"}


def digging_ticks(block: str, inventory: Inventory) -> int:
    """Ticks that this block takes with the best tool at hand."""
    if block in _NEEDS_PICK:
        bare = _BARE_HAND[block]
        return bare // 6 if _has_pick_for(block, inventory) else bare
    bare = _BARE_HAND.get(block, _WOOD_TICKS)
    return bare // 2 if "wooden_axe" in inventory and bare == _WOOD_TICKS else bare


def falling_from(block: str, inventory: Inventory, *chance: object) -> str | None:
    """The item that falls out of a block dug with the best tool at hand, if any."""
    if block in _NEEDS_PICK and not _has_pick_for(block, inventory):
        return None
    if block == "oak_leaves":
        return "apple" if roll(4, "apple", *chance) == 0 else None
    return _FALLS.get(block, block)


def with_items(inventory: Inventory, changes: Mapping[str, int]) -> Inventory | None:
    """The inventory after these gains and losses; None when something is missing."""
    after = dict(inventory)
    for item, change in changes.items():
        count = after.pop(item, 0) + change
        if count < 0:
            return None
        if count:
            after[item] = count
    return after


def _has_pick_for(block: str, inventory: Inventory) -> bool:
    return any(pick in inventory for pick in (_PICKS[1:] if block == "iron_ore" else _PICKS))
