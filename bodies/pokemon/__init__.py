"""Pokémon, played through a seat in a hosted world."""

from __future__ import annotations

import msgspec

from kernel.bodies import BodyKind, register
from kernel.body import OpenBody, SessionSide
from kernel.journal.projection import NAMELESS, JournalReading


def _open(options: msgspec.Raw, side: SessionSide) -> OpenBody:
    from bodies.pokemon.opening import open_body

    del side  # a seat's world reports no events and starts no process
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
