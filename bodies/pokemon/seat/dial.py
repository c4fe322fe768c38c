"""Opens the byte stream to a world: plain, unix or TLS with verified certificates."""

from __future__ import annotations

import os
import ssl
from collections.abc import Awaitable, Callable
from typing import cast

import trio

from bodies.pokemon.seat.addresses import Address
from bodies.pokemon.seat.ended import Parting
from bodies.pokemon.seat.link import LinkParted
from bodies.pokemon.seat.waits import CONNECT_S

Dial = Callable[[], Awaitable[trio.abc.Stream]]


class BadAuthority(Exception):
    """The named file of certificate authorities cannot be read as such."""


def dialer(address: Address, ca_file: str | None = None) -> Dial:
    """A way to open streams to this address.

    `ca_file` names the authorities to trust instead of the system's. Raises BadAuthority. Each dial
    takes at most CONNECT_S and raises LinkParted.
    """
    context = _tls_context(ca_file) if address.encrypted else None
    where = address.path if address.scheme == "unix" else f"{address.host}:{address.port}"

    async def dial() -> trio.abc.Stream:
        try:
            with trio.fail_after(CONNECT_S):
                return await _open(address, context)
        except trio.TooSlowError:
            raise LinkParted(Parting(f"no connection to {where} within {CONNECT_S:g} s")) from None
        except ssl.SSLCertVerificationError as refused:
            raise LinkParted(
                Parting(f"certificate not accepted: {refused.verify_message}")
            ) from None
        except ssl.SSLError as broken:
            raise LinkParted(Parting(f"TLS failed: {broken.reason or 'no TLS there'}")) from None
        except (OSError, trio.BrokenResourceError) as broken:
            raise LinkParted(Parting(f"no connection to {where}: {_reason(broken)}")) from None

    return dial


async def _open(address: Address, context: ssl.SSLContext | None) -> trio.abc.Stream:
    if address.scheme == "unix":
        return await trio.open_unix_socket(address.path)
    tcp = await trio.open_tcp_stream(address.host, address.port)
    if context is None:
        return tcp
    stream = trio.SSLStream(tcp, context, server_hostname=address.host, https_compatible=True)
    try:
        await stream.do_handshake()
    except BaseException as failed:
        await trio.aclose_forcefully(tcp)
        if isinstance(failed, trio.BrokenResourceError) and isinstance(
            failed.__cause__, ssl.SSLError
        ):
            raise failed.__cause__ from None
        raise
    return stream


def _tls_context(ca_file: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as unreadable:
        raise BadAuthority(
            f"{ca_file} is no file of PEM certificates: {unreadable.strerror or unreadable}"
        ) from None


def _reason(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, BaseExceptionGroup):
        return _reason(cast("BaseExceptionGroup[BaseException]", error).exceptions[0])
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
        # trio's own words repeat the address as Python writes it.
        return os.strerror(error.errno).lower()
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
