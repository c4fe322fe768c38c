"""Luck: what the server and the bot's own senses make of an action that was done properly.

A real server puts things back, and a real bot misses packets. With this luck, and with the actions
that cannot be done at all, about half of what a player tries ends refuted or unknown.
"""

from typing import Literal

from bodies.practice.world.chance import roll

Luck = Literal[
    "kept", "undone", "not_observed", "local_report_only", "optimistic_cache", "stale_observation"
]
"""Kept: it happened and was seen. Undone: the server took it back. Else: nobody saw it happen."""
_SIDES = 16
_FALLS: dict[int, Luck] = {
    0: "undone",
    1: "undone",
    2: "undone",
    3: "not_observed",
    4: "local_report_only",
    5: "optimistic_cache",
    6: "stale_observation",
}


def luck_of(seed: int, tick: int, action_id: str) -> Luck:
    return _FALLS.get(roll(_SIDES, seed, "luck", tick, action_id), "kept")


def takes_effect(luck: Luck, *chance: object) -> bool:
    """Whether the world really changes; of what nobody saw, every other thing did."""
    return luck == "kept" or (luck != "undone" and roll(2, "effect", *chance) == 0)
