"""Doors: the addresses on which a world listens, and the connections that come in there."""

import socket
import ssl
import stat
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import trio

from bodies.practice.world.host import Host
from bodies.practice.world.lines import serve_line
from bodies.practice.world.spectators import read_head, serve_spectator, wants_websocket
from bodies.practice.world.tap import Tap, is_local
from bodies.practice.world.websockets import serve_websocket

Listener = trio.SocketListener | trio.SSLListener[trio.SocketStream]


@dataclass(frozen=True)
class Address:
    """`ws` and `tcp` have a host and port, `unix` a path; with TLS they are `wss` and `tls`."""

    scheme: str
    host: str = ""
    port: int = 0
    path: str = ""

    def __str__(self) -> str:
        if self.scheme == "unix":
            return f"unix:{self.path}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


@dataclass(frozen=True)
class Door:
    """An open listener and its real address."""

    address: Address
    listener: Listener


def parse_address(text: str) -> Address:
    """`ws://HOST:PORT`, `tcp://HOST:PORT` or `unix:PATH`. Raises ValueError."""
    if text.startswith("unix:"):
        path = text.removeprefix("unix:")
        if not path:
            raise ValueError("unix: needs a path")
        return Address("unix", path=path)
    parts = urlsplit(text)
    if parts.scheme not in ("ws", "tcp") or not parts.hostname or parts.port is None:
        raise ValueError(f"{text!r} is none of ws://HOST:PORT, tcp://HOST:PORT, unix:PATH")
    return Address(parts.scheme, parts.hostname, parts.port)


async def open_door(address: Address, tls: ssl.SSLContext | None = None) -> Door:
    """Listens; port 0 takes a free one. With a context, ws becomes wss and tcp becomes tls.

    Raises OSError when the address is taken or not ours.
    """
    if address.scheme == "unix":
        return Door(address, _listen_unix(Path(address.path)))
    listener = (await trio.open_tcp_listeners(address.port, host=address.host))[0]
    port = int(listener.socket.getsockname()[1])
    if tls is None:
        return Door(Address(address.scheme, address.host, port), listener)
    secured = {"ws": "wss", "tcp": "tls"}[address.scheme]
    wrapped = trio.SSLListener(listener, tls, https_compatible=True)
    return Door(Address(secured, address.host, port), wrapped)


async def serve_door(host: Host, door: Door, connections: trio.Nursery) -> None:
    """Accepts everybody who comes in, each served in the nursery. A unix path is removed after."""
    handler = _come_in if door.address.scheme in ("ws", "wss") else serve_line
    try:
        await trio.serve_listeners(
            partial(handler, host), [door.listener], handler_nursery=connections
        )
    finally:
        if door.address.scheme == "unix":
            _remove(door.address)


async def _come_in(host: Host, stream: trio.abc.Stream) -> None:
    try:
        head = await read_head(stream)
        tap = Tap(stream, head)
        if wants_websocket(head):
            await serve_websocket(host, tap, is_local=is_local(stream))
        elif head:
            await serve_spectator(host, tap, head)
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        pass  # they went away
    finally:
        with trio.move_on_after(1, shield=True):
            await stream.aclose()


def _listen_unix(path: Path) -> trio.SocketListener:
    if path.exists() and stat.S_ISSOCK(path.stat().st_mode):
        path.unlink()  # left behind by a world that was killed
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listening.bind(str(path))
        path.chmod(0o600)
        listening.listen(128)
    except OSError:
        listening.close()
        raise
    return trio.SocketListener(trio.socket.from_stdlib_socket(listening))


def _remove(address: Address) -> None:
    Path(address.path).unlink(missing_ok=True)
