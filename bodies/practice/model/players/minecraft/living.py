"""Living: what to do, as rules in the order in which they are asked.

Each rule proposes deeds, best first; the first that did not fail lately is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import dist
from random import Random

from msgspec import Struct

from bodies.practice.model.players.minecraft.deeds import (
    Deed,
    craft,
    dig,
    follow,
    go,
    place,
    say,
    wait,
    within_the_world,
)
from bodies.practice.model.players.minecraft.surroundings import Spot, Surroundings
from bodies.practice.model.players.replies import answer, name

DANGER = 6
WANTED_LOGS = 4
TABLE_NEAR = 4
STALLED = 2
_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))
_OPEN = frozenset(("air", "cave_air", "torch"))
_SOUGHT_WITH_A_PICK = ("coal_ore", "iron_ore", "stone")


class Moment(Struct, frozen=True):
    """Everything that the rules may know."""

    seen: Surroundings
    notes: tuple[str, ...]
    luck: Random

    @property
    def feet(self) -> Spot | None:
        return self.seen.position.spot if self.seen.position else None


def live(moment: Moment) -> Iterator[Deed]:
    """Deeds, the one that the rules like best first; it ends with waiting."""
    for rule in _WHEN_STALLED if moment.seen.stalled_for_turns >= STALLED else _USUAL:
        yield from rule(moment)
    yield wait("Nothing that I know of helps right now.")


def wait_while_out(moment: Moment) -> Iterator[Deed]:
    """Dead, or not in the world."""
    seen = moment.seen
    if seen.phase not in (None, "active") or (seen.health is not None and seen.health <= 0):
        yield wait("I can do nothing until I am back on my feet.")


def answer_people(moment: Moment) -> Iterator[Deed]:
    seen, feet = moment.seen, moment.feet
    place = f"at ({feet[0]},{feet[1]},{feet[2]})" if feet else "not sure where I am"
    intent = (seen.objective or "look around")[:80]
    for heard in seen.messages[:1]:
        text = f"{name(heard.speaker)}: {answer(heard.text, place, intent)}"
        yield say(text, "Somebody spoke to me.")
    for line in seen.chat[-1:]:
        mark = heard_mark(line.player, line.text)
        if mark not in moment.notes:
            text = f"{name(line.player)}: {answer(line.text, place, intent)}"
            yield say(text, "Somebody wrote in the chat.", mark)


def greet(moment: Moment) -> Iterator[Deed]:
    for other in moment.seen.players:
        mark = f"Met {name(other.name)}."
        if other.near and mark not in moment.notes:
            text = f"Hello {name(other.name)}! I am looking around here."
            yield say(text, "Somebody is near whom I have not met.", mark)


def stay_safe(moment: Moment) -> Iterator[Deed]:
    health = moment.seen.health
    if health is not None and health <= DANGER:
        yield from accompany(moment)
        yield wait("I am hurt; I rest before I go on.")


def make(moment: Moment) -> Iterator[Deed]:
    """From logs to a pickaxe, one step at a time."""
    seen, feet = moment.seen, moment.feet
    planks, sticks = seen.carries("oak_planks"), seen.carries("stick")
    table = _table_near(moment)
    has_pick = _has_pick(seen)
    if seen.carries("oak_log") and planks < 4:
        yield craft("oak_planks", 4, "Planks come before anything else.")
    if has_pick:
        return
    if not table and seen.carries("crafting_table") and feet:
        for spot in _free_beside(seen, feet):
            yield place("crafting_table", spot, "The table has to stand somewhere.")
    if not table and not seen.carries("crafting_table") and planks >= 4:
        yield craft("crafting_table", 1, "A crafting table makes more things possible.")
    if planks >= 2 and sticks < 2:
        yield craft("stick", 4, "Tools need sticks.")
    if table and planks >= 3 and sticks >= 2:
        yield craft("wooden_pickaxe", 1, "With a pickaxe I can break stone.")


def gather(moment: Moment) -> Iterator[Deed]:
    """The nearest wood while there is little, then what a pickaxe is for."""
    seen, feet = moment.seen, moment.feet
    if feet is None:
        return
    wood = sum(carried.count for carried in seen.inventory if carried.item.endswith("_log"))
    wanted = [b for b in seen.blocks if b.block.endswith("_log")] if wood < WANTED_LOGS else []
    if _has_pick(seen):
        wanted += [b for b in seen.blocks if b.block in _SOUGHT_WITH_A_PICK]
    for block in sorted(wanted, key=lambda b: dist(b.spot, feet)):
        if within_the_world(block.spot) and block.spot != _below(feet):
            yield dig(block.spot, block.block, f"There is {block.block[:40]} near.")


def accompany(moment: Moment) -> Iterator[Deed]:
    for other in moment.seen.players:
        if 1 <= len(other.name) <= 256:
            yield follow(other.name, 4, "Company is safer, and there may be something to see.")


def wander(moment: Moment) -> Iterator[Deed]:
    """Over the ground that is seen first, then beyond it."""
    feet = moment.feet
    if feet is None:
        return
    solid = {b.spot for b in moment.seen.blocks if b.block not in _OPEN and b.block != "water"}
    standing = sorted(
        (x, y + 1, z)
        for x, y, z in solid
        if (x, y + 1, z) not in solid and (x, y + 2, z) not in solid and abs(y + 1 - feet[1]) <= 3
    )
    far = [spot for spot in standing if dist(spot, feet) >= 4 and within_the_world(spot)]
    for spot in moment.luck.sample(far, min(8, len(far))):
        yield go(spot, 1, "I have not stood over there yet.", "to see more of this place.")
    for dx, dz in moment.luck.sample(_SIDES, len(_SIDES)):
        spot = (feet[0] + 12 * dx, feet[1], feet[2] + 12 * dz)
        if within_the_world(spot):
            yield go(spot, 4, "There is more to see beyond.", "to see what lies beyond.")


def heard_mark(player: str, text: str) -> str:
    """The sentence that notes what was answered last."""
    return f"Answered {name(player)}: {' '.join(text.split())[:60]}"


Rule = Callable[[Moment], Iterator[Deed]]

_USUAL: tuple[Rule, ...] = (
    wait_while_out,
    answer_people,
    greet,
    stay_safe,
    make,
    gather,
    wander,
    accompany,
)
_WHEN_STALLED: tuple[Rule, ...] = (wait_while_out, answer_people, wander, accompany, gather)


def _has_pick(seen: Surroundings) -> bool:
    return any(carried.item.endswith("_pickaxe") for carried in seen.inventory)


def _table_near(moment: Moment) -> bool:
    feet = moment.feet
    return feet is not None and any(
        block.block == "crafting_table" and dist(block.spot, feet) <= TABLE_NEAR
        for block in moment.seen.blocks
    )


def _free_beside(seen: Surroundings, feet: Spot) -> list[Spot]:
    """Spots beside the feet with ground below and nothing in them, as far as is known."""
    known = {block.spot: block.block for block in seen.blocks}
    beside = [(feet[0] + dx, feet[1], feet[2] + dz) for dx, dz in _SIDES]
    return [
        spot
        for spot in beside
        if known.get(spot, "air") in _OPEN
        and known.get(_below(spot), "air") not in _OPEN
        and within_the_world(spot)
    ]


def _below(spot: Spot) -> Spot:
    return spot[0], spot[1] - 1, spot[2]
