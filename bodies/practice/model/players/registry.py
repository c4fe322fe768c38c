"""The players, each known by the fields that the STATE of its game has.

A game's player is a function of the STATE block's JSON, the whole text around it and the seed; it
gives the decision as JSON, or None when it cannot read the state. A new game is one more line here.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from bodies.practice.model.players.minecraft import player as minecraft
from bodies.practice.model.players.pokemon import player as pokemon
from kernel.undecodable import UNDECODABLE

Play = Callable[[bytes, str, int], bytes | None]

PLAYERS: tuple[tuple[frozenset[str], Play], ...] = (
    (frozenset(("phase", "inventory", "blocks", "stalledForTurns")), minecraft.play),
    (frozenset(("mode", "inputReady", "menu", "dialog")), pokemon.play),
)


def player_of(state: bytes) -> Play | None:
    """The player of the game whose fields this state has."""
    try:
        fields = msgspec.json.decode(state, type=dict[str, msgspec.Raw])
    except UNDECODABLE:
        return None
    return next((play for needed, play in PLAYERS if needed <= fields.keys()), None)
