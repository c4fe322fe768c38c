"""Tells whether a task that mostly waits still comes back to its waiting."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import trio


class Pulse:
    """Kept by the task itself; felt by whoever watches over it."""

    def __init__(self) -> None:
        self._waiting = trio.Event()
        self._waiting.set()

    @contextmanager
    def at_work(self) -> Generator[None]:
        """Around everything that the task does between two waits."""
        self._waiting = trio.Event()
        try:
            yield
        finally:
            self._waiting.set()

    async def felt(self) -> None:
        """Wait until the task waits for something to do, or is over."""
        await self._waiting.wait()
