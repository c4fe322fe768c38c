"""One connection to a world, as the client sees it; WebSocket and lines are the two kinds."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import trio

from bodies.pokemon.seat.ended import Parting
from bodies.pokemon.wire import Request

MAX_MESSAGE = 4 * 1024 * 1024
"""Bytes; a larger message closes the connection."""


class LinkParted(Exception):
    """The connection is over, or never came to be."""

    def __init__(self, parting: Parting) -> None:
        super().__init__(parting.detail)
        self.parting = parting


class Link(Protocol):
    """A connection that answers requests until it parts."""

    async def ask(self, request: Request) -> bytes:
        """Send and wait for the answer's JSON. The caller bounds the wait. Raises LinkParted."""
        ...

    def part(self, parting: Parting) -> None:
        """Give the connection up; the first reason stands."""
        ...

    parting: Parting | None
    """Why it is over; None while it lives."""

    async def parted(self) -> Parting:
        """Wait until it is over. Unbounded: a connection lives as long as its session."""
        ...


OnPush = Callable[[bytes], None]
OpenLink = Callable[[], AbstractAsyncContextManager[Link]]


class Fate:
    """Whether and why a connection is over; the shared part of both kinds of link."""

    def __init__(self) -> None:
        self.parting: Parting | None = None
        self._over = trio.Event()

    def part(self, parting: Parting) -> None:
        """Set it once."""
        if self.parting is None:
            self.parting = parting
            self._over.set()

    async def parted(self) -> Parting:
        """Wait for it."""
        await self._over.wait()
        assert self.parting is not None
        return self.parting
