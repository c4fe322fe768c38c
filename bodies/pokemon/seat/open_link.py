"""The one place that chooses between the two framings."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from bodies.pokemon.seat.addresses import Address
from bodies.pokemon.seat.counters import Counters
from bodies.pokemon.seat.dial import Dial
from bodies.pokemon.seat.lines import open_lines
from bodies.pokemon.seat.link import Link, OnPush
from bodies.pokemon.seat.websocket import open_websocket


def open_link(
    address: Address, dial: Dial, on_push: OnPush, counters: Counters
) -> AbstractAsyncContextManager[Link]:
    """A link of the kind that the address names. Entering it raises LinkParted."""
    if address.framed:
        return open_websocket(dial, address, on_push, counters)
    return open_lines(dial)
