"""What a seat needs to know, as the daemon hands it over."""

from __future__ import annotations

from msgspec import Struct

from bodies.pokemon.wire import GameId


class Options(Struct, frozen=True, forbid_unknown_fields=True, rename="camel", kw_only=True):
    """A seat's own settings. The credential is never shown."""

    address: str
    game: GameId
    display_name: str
    credential: str | None = None
    insecure: bool = False
    """Allows plaintext to an address that is not loopback."""
    ca_file: str | None = None

    def __repr__(self) -> str:
        return f"Options(address={self.address!r}, game={self.game!r}, credential=***)"
