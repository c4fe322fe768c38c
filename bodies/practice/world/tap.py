"""The tap: a connection's bytes, which can be cut off or fall silent at the worst moment."""

import socket
import struct
from contextlib import suppress
from typing import cast

import trio


class Tap(trio.abc.Stream):
    """A stream with `head` put back in front; `silent` swallows both directions from then on."""

    def __init__(self, inner: trio.abc.Stream, head: bytes = b"") -> None:
        self._inner = inner
        self._head = head
        self.silent = False

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        if self._head:
            head, self._head = self._head, b""
            return head
        while True:
            data = bytes(await self._inner.receive_some(max_bytes))
            if not self.silent or not data:
                return data

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        if self.silent:
            await trio.lowlevel.checkpoint()
        else:
            await self._inner.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._inner.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def cut(self) -> None:
        """Reset the connection: nothing more is sent, not even a goodbye."""
        transport = transport_of(self._inner)
        no_lingering = struct.pack("ii", 1, 0)
        with suppress(OSError):  # closed already
            transport.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, no_lingering)
        await trio.aclose_forcefully(self._inner)


def transport_of(stream: trio.abc.Stream) -> trio.SocketStream:
    """The socket under a plain or TLS stream. Raises TypeError for anything else."""
    if isinstance(stream, trio.SSLStream):
        stream = cast("trio.SSLStream[trio.abc.Stream]", stream).transport_stream
    if not isinstance(stream, trio.SocketStream):
        raise TypeError("this stream has no socket under it")
    return stream


def is_local(stream: trio.abc.Stream) -> bool:
    """Whether the other end is this machine: a unix socket or a loopback address."""
    sock = transport_of(stream).socket
    if sock.family == socket.AF_UNIX:
        return True
    try:
        host = str(sock.getpeername()[0])
    except OSError:
        return False
    return host in ("::1", "::ffff:127.0.0.1") or host.startswith("127.")
