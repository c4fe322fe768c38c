"""What a session process still has to be told, however long it does not read.

What it is to do is told once, as it was last wanted: a newer ceiling, lease, stop, pause or resume
takes the place of the one that waits, so that none is ever lost. Words and acknowledgements are
each of their own, and only so many of them wait.
"""

from __future__ import annotations

import trio

from kernel.session.wire import Acknowledge, Pause, Resume, Say, ToSession, encode_line

BOUND = 64
"""Words that may wait, and as many acknowledgements."""


class Outbox:
    """Takes messages at once and gives their lines in order."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[type[ToSession], str], bytes] = {}
        self._filled = trio.Event()
        self._closed = False

    def put(self, message: ToSession) -> bool:
        """Keep a message; False: it is not kept, for too many wait or nobody reads any more."""
        key = _key(message)
        if self._closed or (isinstance(message, Say | Acknowledge) and self._is_full(key[0])):
            return False
        self._waiting[key] = encode_line(message)
        self._filled.set()
        return True

    async def next(self) -> bytes:
        """The line that has waited longest, once there is one; it waits no more."""
        while not self._waiting:
            self._filled = trio.Event()
            await self._filled.wait()
        return self._waiting.pop(next(iter(self._waiting)))

    def close(self) -> None:
        """Keep nothing more."""
        self._closed = True
        self._waiting.clear()

    def _is_full(self, kind: type[ToSession]) -> bool:
        return sum(kind is waiting for waiting, _ in self._waiting) >= BOUND


def _key(message: ToSession) -> tuple[type[ToSession], str]:
    """Messages of the same key replace each other."""
    match message:
        case Say() | Acknowledge():
            return type(message), message.id
        case Resume():
            return Pause, ""
        case _:
            return type(message), ""
