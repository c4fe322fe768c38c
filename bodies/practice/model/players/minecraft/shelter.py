"""Shelter: after a wound, get something overhead and wait there until it is over."""

from __future__ import annotations

from collections.abc import Iterator

from bodies.practice.model.players.minecraft.moves import Move, build, dig, go, wait
from bodies.practice.model.players.minecraft.surroundings import Spot, Surroundings

STAYS = 12
"""Turns that the player stays under cover after the last wound."""
WEAK = 8
ROOFING = ("dirt", "cobblestone", "oak_planks", "oak_log", "sand")
LEAVES = ("oak_leaves", "birch_leaves", "spruce_leaves")


def needs_shelter(seen: Surroundings, since_hurt: int | None) -> bool:
    weak = seen.health is not None and seen.health <= WEAK
    return weak or (since_hurt is not None and since_hurt <= STAYS)


def take_shelter(seen: Surroundings) -> Iterator[Move]:
    """Best first: stay under cover, make a roof, go under a tree, get something to build with."""
    feet = seen.feet
    if feet is None:
        return
    if seen.is_covered(feet):
        yield wait("It is dangerous out there. I stay under cover.")
        return
    for item in ROOFING:
        for side in seen.beside(feet):
            missing = [spot for spot in _roof(feet, side) if not seen.is_solid(spot)]
            if seen.count(item) >= len(missing):
                thought = "Something hurts me here. I want a roof."
                yield build(missing, item, thought, f"Build a roof of {item} over my head.")
    for leaf, _ in seen.nearest(*LEAVES):
        for ground in (leaf.moved(0, -down, 0) for down in range(3, 7)):
            if seen.is_solid(ground) and not seen.is_solid(ground.moved(0, 1, 0)):
                under = ground.moved(0, 1, 0)
                yield go(under, 0, "A tree is better than nothing.", "and stay under the leaves.")
    for spot, block in seen.nearest("dirt", "grass_block", "sand"):
        if spot != feet.moved(0, -1, 0):
            yield dig(spot, block, "I need something for a roof.")


def _roof(feet: Spot, side: Spot) -> list[Spot]:
    """A post beside the player, and the block over the head that leans on it."""
    return [*(side.moved(0, up, 0) for up in range(3)), feet.moved(0, 2, 0)]
