"""Pokémon, played through a seat in a hosted world."""

from __future__ import annotations

import msgspec

from kernel.bodies import BodyKind, register
from kernel.body import OpenBody, WorldEvents
from kernel.journal.projection import NAMELESS
from kernel.journal.projection import JournalReading


def _open(options: msgspec.Raw, events: WorldEvents) -> OpenBody:
    from bodies.pokemon.opening import open_body

    del events  # a seat's world reports none
    return open_body(options)


async def _recover(options: msgspec.Raw, recovery: str) -> bool:
    from bodies.pokemon.opening import settle_seat

    return await settle_seat(options, recovery)


def _reading() -> JournalReading:
    from bodies.pokemon.reading import PokemonReading

    return PokemonReading()


register(
    BodyKind(
        name="pokemon",
        environments=("pokemon-firered", "pokemon-emerald", NAMELESS),
        open=_open,
        recover=_recover,
        reading=_reading,
    )
)
