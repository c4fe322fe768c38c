"""Evidence by looking again: what a bot carried, where it stood and what was heard, before and now.

The motor's own word that something succeeded is never used. What two looks cannot tell is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from bodies.minecraft import wire
from bodies.minecraft.consistency import agrees
from bodies.minecraft.public.prose import ChatLine, Look


@dataclass(frozen=True, slots=True)
class Glance:
    """What was looked at around an action."""

    look: Look
    heard: tuple[ChatLine, ...]

    def count(self, item: str) -> int | None:
        """How many of an item are carried; None is not known."""
        carried = self.look.carried
        if carried is None or (item not in carried and not self.look.all_carried):
            return None
        return carried.get(item, 0)

    def times_said(self, player: str, text: str) -> int:
        """How often this was heard from this player."""
        return sum(line.player == player and line.text == text for line in self.heard)


def proof(
    action: wire.Action, username: str, before: Glance, after: Glance, at: str
) -> wire.Evidence:
    """What the two looks say about the action; `at` is when the second was."""
    check: wire.Check | None = None
    match action:
        case wire.Chat(text):
            check = _heard(text, username, before, after)
        case wire.Goto(position, tolerance):
            check = _stands(username, position, after.look.place, tolerance)
        case wire.Craft(item, count):
            check = _carries(item, count, before, after)
        case wire.Place(_, item):
            check = _still_carries(item, before, after)
        case wire.Follow() | wire.Dig() | wire.Build():
            pass  # where players and blocks are, this motor does not tell
    if check is None:
        return wire.Unknown("not_observed")
    if agrees(check):
        return wire.Verified("server_packet", at, (check,))
    return wire.Refuted("server_packet", at, (check,))


def _heard(text: str, username: str, before: Glance, after: Glance) -> wire.Check | None:
    """The server sends a chat line back to who said it; silence proves nothing."""
    if after.times_said(username, text) <= before.times_said(username, text):
        return None
    return wire.ChatCheck(username, text, text)


def _stands(
    username: str, position: wire.BlockPosition, place: wire.Point | None, tolerance: float
) -> wire.Check | None:
    # The motor goes no nearer than one block, and tells where it stands in whole blocks.
    wanted = wire.Point(position.x + 0.5, position.y, position.z + 0.5)
    slack = min(tolerance + 1.0, wire.REACH)
    return wire.PositionCheck(username, wanted, place, slack) if place else None


def _carries(item: str, count: int, before: Glance, after: Glance) -> wire.Check | None:
    """Recipes may give more than was asked for; then what is carried is what is expected."""
    had, now = before.count(item), after.count(item)
    if had is None or now is None:
        return None
    return wire.InventoryCheck(item, max(had + count, now), now)


def _still_carries(item: str, before: Glance, after: Glance) -> wire.Check | None:
    """A block that is still carried was not placed; where one went that is gone, nobody saw."""
    had, now = before.count(item), after.count(item)
    if had is None or now is None or now < had:
        return None
    return wire.InventoryCheck(item, max(had - 1, 0), now) if now else None
