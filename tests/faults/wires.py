"""A wire between a session and its world or its model, on which anything can go wrong.

Everything that asks through it comes from one seat. So it also knows which requests of a practice
model were whose: the model numbers its answers, and the number stands in each of them.
"""

from __future__ import annotations

import re
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass, field

import trio

_GONE = (OSError, trio.BrokenResourceError, trio.ClosedResourceError)
_ANSWER = re.compile(rb"practice-(\d+)[\"\r]")
_LONGEST_MATCH = 32
_PIECE = 16 * 1024


@dataclass(eq=False)
class Wire:
    """One listening address of its own that leads to `target`, a port on loopback."""

    target: int
    port: int = 0
    answers: set[int] = field(default_factory=set[int])
    """Numbers of a practice model's answers that began to come through here."""
    late: float = 0.0
    """Seconds by which every piece comes later."""
    closed: bool = False
    _open: trio.Event = field(default_factory=trio.Event)
    _connections: set[_Connection] = field(default_factory=set["_Connection"])

    def __post_init__(self) -> None:
        self._open.set()

    async def serve(self, *, task_status: trio.TaskStatus[None]) -> None:
        """Carry connections until cancelled."""
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listener.socket.getsockname()[1]
        task_status.started()
        await trio.serve_listeners(self._carry, [listener])

    def cut(self, after_bytes: int = 0) -> None:
        """Reset every connection once so many more bytes came through it."""
        for connection in self._connections:
            connection.left = after_bytes
            if after_bytes == 0:
                connection.reset()

    def half_close(self) -> None:
        """End every connection for the session, while what it sends still goes on."""
        for connection in self._connections:
            connection.half_closed.set()

    def stall(self) -> None:
        """Nothing comes through until `flow`."""
        self._open = trio.Event()

    def flow(self) -> None:
        """Everything comes through again, at once."""
        self.late, self.closed = 0.0, False
        self._open.set()

    async def _carry(self, near: trio.SocketStream) -> None:
        connection = _Connection(near)
        try:
            if self.closed:
                return
            far = await trio.open_tcp_stream("127.0.0.1", self.target)
            connection.far = far
            self._connections.add(connection)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._pass_on, connection, near, far)
                nursery.start_soon(self._pass_on, connection, far, near)
        except _GONE:
            pass
        finally:
            self._connections.discard(connection)
            connection.reset()

    async def _pass_on(
        self, connection: _Connection, source: trio.SocketStream, sink: trio.SocketStream
    ) -> None:
        to_session = sink is connection.near
        tail = b""
        with suppress(*_GONE):
            async for piece in source:
                if to_session:
                    tail = tail[-_LONGEST_MATCH:] + piece
                    self.answers.update(map(int, _ANSWER.findall(tail)))
                await self._open.wait()
                if self.late:
                    await trio.sleep(self.late)
                if to_session and connection.half_closed.is_set():
                    continue
                await connection.send(sink, bytes(piece))
            await sink.send_eof()
            return
        connection.reset()


@dataclass(eq=False)
class _Connection:
    near: trio.SocketStream
    far: trio.SocketStream | None = None
    left: int | None = None
    """Bytes until it is reset."""
    half_closed: trio.Event = field(default_factory=trio.Event)

    async def send(self, sink: trio.SocketStream, piece: bytes) -> None:
        if self.left is not None:
            piece, self.left = piece[: self.left], max(0, self.left - len(piece))
        await sink.send_all(piece)
        if self.left == 0:
            self.reset()

    def reset(self) -> None:
        """Close both ends without a goodbye."""
        for stream in (self.near, self.far):
            if stream is not None:
                with suppress(OSError):
                    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGERING)
                stream.socket.close()


_NO_LINGERING = struct.pack("ii", 1, 0)
