"""Opens a seat from its options, and settles one that an earlier session left."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import msgspec

from bodies.pokemon.adapter import PokemonBody
from bodies.pokemon.options import Options
from bodies.pokemon.seat.addresses import BadAddress, parse_address
from bodies.pokemon.seat.client import Applicant, Credential, open_seat
from bodies.pokemon.seat.recovery import settle
from kernel.body import JoinRefused
from kernel.undecodable import UNDECODABLE


@asynccontextmanager
async def open_body(options: msgspec.Raw) -> AsyncGenerator[PokemonBody]:
    """A body that is not joined yet. Raises JoinRefused for options that cannot be used."""
    known = _options(options)
    try:
        address = parse_address(known.address, insecure=known.insecure)
    except BadAddress as bad:
        raise JoinRefused("world_refused", str(bad)) from None
    applicant = Applicant(
        known.game,
        known.display_name,
        Credential(known.credential) if known.credential else None,
    )
    async with open_seat(address, applicant, ca_file=known.ca_file) as seat:
        yield PokemonBody(seat)


async def settle_seat(options: msgspec.Raw, recovery: str) -> bool:
    """Ask the world about a seat; whether nothing of ours holds it now."""
    known = _options(options)
    try:
        address = parse_address(known.address, insecure=known.insecure)
    except BadAddress as bad:
        raise JoinRefused("world_refused", str(bad)) from None
    return await settle(address, recovery, ca_file=known.ca_file) == "settled"


def _options(options: msgspec.Raw) -> Options:
    try:
        return msgspec.json.decode(options, type=Options)
    except UNDECODABLE as wrong:
        raise JoinRefused("world_refused", f"the seat's options are wrong: {wrong}") from None
