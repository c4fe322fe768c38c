"""Evidence by looking again: what a bot carried, where it stood and what was heard, before and now.

The motor's own word that something succeeded is never used. What two looks cannot tell is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from bodies.minecraft import wire
from bodies.minecraft.consistency import agrees


@dataclass(frozen=True, slots=True)
class Glance:
    """What was looked at around an action; None is not known."""

    place: wire.Point | None
    players: dict[str, wire.Point]
    inventory: dict[str, int] | None
    heard: tuple[tuple[str, str], ...]
    blocks: dict[wire.BlockPosition, str]


def proof(
    action: wire.Action, username: str, before: Glance, after: Glance, at: str
) -> wire.Evidence:
    """What the two looks say about the action; `at` is when the second was."""
    check: wire.Check | None = None
    match action:
        case wire.Chat(text):
            check = _heard(text, username, before, after)
        case wire.Goto(position, tolerance):
            middle = wire.Point(position.x + 0.5, position.y, position.z + 0.5)
            check = _stands(username, middle, after.place, tolerance)
        case wire.Follow(player, distance):
            there = after.players.get(player)
            check = _stands(username, there, after.place, distance) if there else None
        case wire.Craft(item, count):
            check = _carries(item, count, before, after)
        case wire.Place(_, item):
            return _placed(item, before, after, at)
        case wire.Dig(position):
            return _dug(position, before, after, at)
        case wire.Build():
            pass
    if check is None:
        return wire.Unknown("not_observed")
    if agrees(check):
        return wire.Verified("server_packet", at, (check,))
    return wire.Refuted("server_packet", at, (check,))


def _heard(text: str, username: str, before: Glance, after: Glance) -> wire.Check | None:
    """The server sends a chat line back to who said it; silence proves nothing."""
    line = (username, text)
    if after.heard.count(line) <= before.heard.count(line):
        return None
    return wire.ChatCheck(username, text, text)


def _stands(
    username: str, wanted: wire.Point, place: wire.Point | None, tolerance: float
) -> wire.Check | None:
    # A block's middle may be half a block off in each direction.
    slack = min(tolerance + 1.0, wire.REACH)
    return wire.PositionCheck(username, wanted, place, slack) if place else None


def _carries(item: str, count: int, before: Glance, after: Glance) -> wire.Check | None:
    """Recipes may give more than was asked for; then what is carried is what is expected."""
    if before.inventory is None or after.inventory is None:
        return None
    least, now = before.inventory.get(item, 0) + count, after.inventory.get(item, 0)
    return wire.InventoryCheck(item, max(least, now), now)


def _placed(item: str, before: Glance, after: Glance, at: str) -> wire.Evidence:
    """A block that is still carried was not placed; where one went that is gone, nobody saw."""
    if before.inventory is None or after.inventory is None:
        return wire.Unknown("not_observed")
    had, now = before.inventory.get(item, 0), after.inventory.get(item, 0)
    if now < had:
        return wire.Unknown("not_observed")
    return wire.Refuted("server_packet", at, (wire.InventoryCheck(item, max(had - 1, 0), now),))


def _dug(position: wire.BlockPosition, before: Glance, after: Glance, at: str) -> wire.Evidence:
    """A block that is still seen was not dug; one that is not seen any more may be out of sight."""
    was, now = before.blocks.get(position), after.blocks.get(position)
    if was is None or now is None:
        return wire.Unknown("not_observed")
    check = wire.BlockCheck(position, "air", now)
    if agrees(check):
        return wire.Verified("server_packet", at, (check,))
    return wire.Refuted("server_packet", at, (check,))
