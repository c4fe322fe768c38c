"""Which addresses a webhook may be sent to.

The addresses that were looked at are the ones that are connected to: a name is resolved once for
each try, so that it cannot lead elsewhere between the look and the connection.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator

import trio


class ForbiddenAddress(Exception):
    """The name leads to this host or a private network, and the room does not allow that."""


async def addresses_of(host: str, port: int, *, allow_private: bool) -> tuple[str, ...]:
    """The addresses of a host, the best first. Raises ForbiddenAddress, and OSError for no such.

    One private address among public ones forbids them all: such a name is not to be trusted.
    """
    found = await trio.socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = tuple(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not allow_private and not all(map(is_public, addresses)):
        raise ForbiddenAddress
    return addresses


def is_public(address: str) -> bool:
    """Whether a literal address is one of the public internet, whatever it is wrapped into."""
    return all(ip.is_global and not ip.is_multicast for ip in _unwrapped(address))


def _unwrapped(text: str) -> Iterator[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    """The address, or the IPv4 addresses that an IPv6 one stands for."""
    address = ipaddress.ip_address(text)
    if not isinstance(address, ipaddress.IPv6Address):
        yield address
        return
    within = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        within.append(ipaddress.IPv4Address(address.packed[-4:]))
    found = [ip for ip in within if ip is not None]
    yield from found or [address]


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
