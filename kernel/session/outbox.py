"""What the session has to say, in order, to a supervisor that may be slow to read."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable

import trio

from kernel.session import wire

BOUND = 256
"""Messages that may wait; past it `phase` is dropped and the next turn waits for room."""


class Outbox:
    """Takes messages at once and writes them in order. `descriptor` is closed with `close`."""

    def __init__(self, descriptor: int) -> None:
        self._stream = trio.lowlevel.FdStream(descriptor)
        self._waiting: deque[bytes] = deque()
        self._filled = trio.Event()
        self._room = trio.Event()
        self._empty = trio.Event()
        self._empty.set()
        self._room.set()
        self.last_put = trio.current_time()
        self.dropped_phases = 0
        self.broken = False

    def put(self, message: wire.FromSession) -> None:
        """Queue one message; a `phase` is dropped when the outbox is full."""
        if len(self._waiting) >= BOUND and isinstance(message, wire.Phase):
            self.dropped_phases += 1
            return
        if self.broken:
            return
        self._waiting.append(wire.encode_line(message))
        self.last_put = trio.current_time()
        self._filled.set()
        if self._empty.is_set():
            self._empty = trio.Event()
        if len(self._waiting) >= BOUND and self._room.is_set():
            self._room = trio.Event()

    def room(self) -> Awaitable[None] | None:
        """What to wait for until the outbox is not full; None when it is not."""
        return None if self._room.is_set() else self._room.wait()

    async def drained(self) -> None:
        """Wait until everything was written."""
        await self._empty.wait()

    async def write_all(self) -> None:
        """Write until cancelled; a reader that is gone ends the writing, not the session."""
        while True:
            await self._filled.wait()
            self._filled = trio.Event()
            while self._waiting:
                try:
                    await self._stream.send_all(self._waiting[0])
                except (trio.BrokenResourceError, trio.ClosedResourceError):
                    self._give_up()
                    return
                self._waiting.popleft()
                if len(self._waiting) < BOUND:
                    self._room.set()
            self._empty.set()

    async def close(self) -> None:
        """Close the descriptor without waiting."""
        await trio.aclose_forcefully(self._stream)

    def _give_up(self) -> None:
        self.broken = True
        self._waiting.clear()
        self._room.set()
        self._empty.set()
