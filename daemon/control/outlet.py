"""What waits to be written to one client.

Answers wait for the client and hold up only that client's next requests. Events never wait: once
`EVENT_BYTES` of them are queued, later ones are counted instead, and the client is told how many it
lost as soon as it has read what was queued.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import msgspec
import trio

from daemon.control import wire
from daemon.control.lines import event_line

EVENT_BYTES = 256 * 1024
"""Of queued events, beside what the socket itself holds."""


@dataclass(eq=False)
class Subscription:
    """One stream of the connection: what it was sent and what it lost."""

    id: wire.RequestId
    sent: int = 0
    lost: int = 0
    untold: int = 0
    """Lost, and the client was not told yet."""


@dataclass(eq=False)
class Outlet:
    """The queue of one connection; `drain` is its single reader."""

    _lines: deque[_Line] = field(default_factory=deque["_Line"])
    _event_bytes: int = 0
    _streams: set[Subscription] = field(default_factory=set[Subscription])
    _wake: trio.Event = field(default_factory=trio.Event)
    _closed: bool = False
    _broken: bool = False

    async def answer(self, line: bytes) -> None:
        """Queues one answer and returns once it was written, or once nobody can read it."""
        if self._broken:
            return
        written = trio.Event()
        self._put(_Line(line, written=written))
        await written.wait()

    def open(self, stream: Subscription) -> None:
        """Lets the stream be told of its losses whenever the queue runs empty."""
        self._streams.add(stream)

    def end(self, stream: Subscription) -> None:
        """Tells the stream of its last losses; nothing is queued for it afterwards."""
        self._tell_losses(stream)
        self._streams.discard(stream)

    def offer(self, stream: Subscription, event: wire.Event) -> None:
        """Queues an event of the stream, or counts it as lost. Returns at once."""
        if self._broken:
            return
        line = event_line(stream.id, event)
        if len(line) > wire.LINE_CAP or self._event_bytes + len(line) > EVENT_BYTES:
            stream.lost += 1
            stream.untold += 1
            return
        self._tell_losses(stream)
        self._event_bytes += len(line)
        stream.sent += 1
        self._put(_Line(line, event=True))

    def close(self) -> None:
        """Ends `drain` once all that is queued was written."""
        self._closed = True
        self._wake.set()

    async def drain(self, client: trio.abc.SendStream) -> None:
        """Writes what is queued until the outlet is closed or the client is gone.

        A client that does not read holds this up for as long as it likes: its queue is bounded and
        its connection counts against its uid.
        """
        try:
            while True:
                while entries := self._take():
                    try:
                        await client.send_all(b"".join(entry.line for entry in entries))
                    finally:
                        for entry in entries:
                            entry.done()
                if self._closed:
                    return
                await self._wake.wait()
                self._wake = trio.Event()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        finally:
            self._break()

    def _put(self, entry: _Line) -> None:
        self._lines.append(entry)
        self._wake.set()

    def _take(self) -> list[_Line]:
        if not self._lines:
            for stream in self._streams:
                self._tell_losses(stream)
        taken: list[_Line] = []
        size = 0
        while self._lines and size < wire.LINE_CAP:
            entry = self._lines.popleft()
            size += len(entry.line)
            if entry.event:
                self._event_bytes -= len(entry.line)
            taken.append(entry)
        return taken

    def _tell_losses(self, stream: Subscription) -> None:
        if stream.untold and not self._broken:
            self._put(_Line(event_line(stream.id, wire.Lost(count=stream.untold))))
            stream.untold = 0

    def _break(self) -> None:
        self._broken = True
        for entry in self._lines:
            entry.done()
        self._lines.clear()


class _Line(msgspec.Struct, eq=False):
    line: bytes
    event: bool = False
    written: trio.Event | None = None

    def done(self) -> None:
        if self.written is not None:
            self.written.set()
