"""Reads the addresses in a configuration and tells which of them leave this host in plaintext."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

Scheme: TypeAlias = Literal["http", "https", "ws", "wss", "tcp", "tls", "unix"]

SEAT_SCHEMES: tuple[Scheme, ...] = ("wss", "ws", "tls", "tcp", "unix")
HTTP_SCHEMES: tuple[Scheme, ...] = ("https", "http")


class AddressError(Exception):
    """A text that is no address of the kind that was asked for; never repeats the text."""


@dataclass(frozen=True)
class Address:
    """Where something listens. A unix socket has a path alone, `tcp` and `tls` always a port."""

    scheme: Scheme
    host: str
    port: int | None
    path: str

    @property
    def encrypted(self) -> bool:
        """Whether the connection is TLS."""
        return self.scheme in ("https", "wss", "tls")

    @property
    def exposed(self) -> bool:
        """Whether what is sent can be read on the way: plaintext that is not loopback."""
        return not self.encrypted and self.scheme != "unix" and not is_loopback(self.host)


def parse_address(text: str, schemes: Collection[Scheme]) -> Address:
    """Reads an address that has one of these schemes. Raises AddressError."""
    prefix, _, rest = text.partition(":")
    scheme: Scheme | None = next((known for known in schemes if known == prefix.lower()), None)
    if scheme is None:
        raise AddressError(f"does not start with {_starts(schemes)}")
    if scheme == "unix":
        path = rest.removeprefix("//")
        if not path.startswith("/"):
            raise AddressError("needs an absolute path, unix:/PATH")
        return Address(scheme, "", None, path)
    return _network_address(scheme, text)


def parse_bind(text: str) -> tuple[str, int]:
    """Reads `HOST:PORT`, an IPv6 host in brackets. Raises AddressError."""
    address = _network_address("tcp", f"tcp://{text}")
    assert address.port is not None
    return address.host, address.port


def is_loopback(host: str) -> bool:
    """Whether a host is this one for certain; no name but `localhost` is looked at."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_private(host: str) -> bool:
    """Whether a host is `localhost` or a literal address outside the public internet."""
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return host.lower() == "localhost"


def _network_address(scheme: Scheme, text: str) -> Address:
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise AddressError("has no valid host and port") from None
    if "@" in parts.netloc:
        raise AddressError("must not carry a user or a password")
    if not _is_host(host):
        raise AddressError("has no valid host")
    if parts.fragment:
        raise AddressError("must not have a #fragment")
    if scheme in ("tcp", "tls"):
        if port is None:
            raise AddressError("needs a port")
        if parts.path or parts.query:
            raise AddressError("must end after the port")
    return Address(scheme, host, port, parts.path)


def _is_host(host: str) -> bool:
    if ":" not in host:
        return bool(re.fullmatch(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?", host)) and len(host) <= 253
    try:
        ipaddress.IPv6Address(host)
    except ValueError:
        return False
    return True


def _starts(schemes: Collection[Scheme]) -> str:
    texts = [f"{scheme}:/" if scheme == "unix" else f"{scheme}://" for scheme in schemes]
    return " or ".join([", ".join(texts[:-1]), texts[-1]])
