"""Where a world listens: the addresses that an operator may write, and which of them are safe."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Literal
from urllib.parse import urlsplit

Scheme = Literal["ws", "wss", "tcp", "tls", "unix"]

_DEFAULT_PORTS = {"ws": 80, "wss": 443}
_PLAINTEXT = ("ws", "tcp")


class BadAddress(ValueError):
    """The address cannot be used; says what to write instead."""


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed address. `path` is the resource of a WebSocket or the file of a unix socket."""

    scheme: Scheme
    host: str = ""
    port: int = 0
    path: str = ""

    @property
    def encrypted(self) -> bool:
        """Whether certificates are verified on the way there."""
        return self.scheme in ("wss", "tls")

    @property
    def framed(self) -> bool:
        """Whether one WebSocket carries the session; otherwise each request has a connection."""
        return self.scheme in ("ws", "wss")

    def __str__(self) -> str:
        if self.scheme == "unix":
            return f"unix:{self.path}"
        return f"{self.scheme}://{self.authority}{self.path}"

    @property
    def authority(self) -> str:
        """Host and port as a URL writes them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def parse_address(text: str, *, insecure: bool = False) -> Address:
    """Read `ws://`, `wss://`, `tcp://`, `tls://` or `unix:/path`.

    Raises BadAddress: another scheme, a part too many or too few, a password in the address, or
    plaintext to a host that is not loopback without `insecure`.
    """
    if text.startswith("unix:"):
        return _unix(text)
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise BadAddress("the world's address is no URL; write wss://host:port/path") from None
    scheme = parts.scheme
    if scheme not in ("ws", "wss", "tcp", "tls"):
        raise BadAddress(
            f"a world's address starts with ws, wss, tcp, tls or unix:, not {scheme!r}"
        )
    if parts.username is not None or parts.password is not None:
        raise BadAddress("the world's address carries a user or password; use the credential file")
    host = parts.hostname or ""
    port = port or _DEFAULT_PORTS.get(scheme, 0)
    if not host or not port:
        raise BadAddress(f"a {scheme} address needs a host and a port")
    if scheme in ("tcp", "tls"):
        if parts.path.strip("/") or parts.query:
            raise BadAddress(f"a {scheme} address ends after the port")
        path = ""
    else:
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if parts.fragment:
        raise BadAddress("a world's address has no #fragment")
    if scheme in _PLAINTEXT and not insecure and not _is_loopback(host):
        raise BadAddress(
            f"{scheme}:// to {host} would send the credential in plain text; "
            f"use {'wss' if scheme == 'ws' else 'tls'}://, or set insecure = true for this seat"
        )
    return Address(scheme, host, port, path)


def _unix(text: str) -> Address:
    path = text.removeprefix("unix:")
    path = path.removeprefix("//")
    if not path.startswith("/"):
        raise BadAddress("a unix address needs an absolute path: unix:/run/world.sock")
    return Address("unix", path=path)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
