"""Serving: where the practice model listens, and the connections that come in there."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import trio

from bodies.practice.model.conduct import Hangup, Provider, rejection, respond
from bodies.practice.model.exchange import BadRequest, Exchange, Gone
from bodies.practice.model.ledger import Ledger
from bodies.practice.model.misbehaviour import Mischief, Misdeed


@dataclass(frozen=True)
class Address:
    """A loopback host and a port; port 0 takes a free one."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/v1"


@dataclass(frozen=True)
class Setting:
    """How a practice model is set up. `latency` is in seconds, before every answer."""

    address: Address
    seed: int = 0
    latency: float = 0.0
    log: Path | None = None
    misdeeds: tuple[Misdeed, ...] = ()


def parse_address(text: str) -> Address:
    """`http://HOST:PORT` with a host that is loopback. Raises ValueError."""
    parts = urlsplit(text)
    if parts.scheme != "http" or not parts.hostname or parts.port is None or parts.path.strip("/"):
        raise ValueError(f"{text!r} is not http://HOST:PORT")
    if parts.hostname != "localhost" and not _is_loopback(parts.hostname):
        raise ValueError(f"{parts.hostname} is not loopback; anybody could ask there")
    return Address(parts.hostname, parts.port)


async def run_model(
    setting: Setting, task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED
) -> None:
    """Serves until cancelled; starts with the real address once it accepts connections.

    Raises OSError for an address or a log that cannot be used.
    """
    ledger = Ledger(setting.log)
    try:
        provider = Provider(ledger, Mischief(setting.misdeeds), setting.seed, setting.latency)
        listeners = await trio.open_tcp_listeners(setting.address.port, host=setting.address.host)
        port = int(listeners[0].socket.getsockname()[1])
        task_status.started(Address(setting.address.host, port))
        await trio.serve_listeners(partial(_serve, provider), listeners[:1])
    finally:
        ledger.close()


async def _serve(provider: Provider, stream: trio.SocketStream) -> None:
    exchange = Exchange(stream)
    try:
        while (request := await exchange.next_request()) is not None:
            await respond(provider, exchange, request)
    except BadRequest as bad:
        await _tell(exchange, bad)
    except (Gone, Hangup):
        pass  # the connection ends either way
    finally:
        await trio.aclose_forcefully(stream)


async def _tell(exchange: Exchange, bad: BadRequest) -> None:
    with trio.move_on_after(5), suppress(Gone):
        await exchange.answer(bad.status, rejection(bad), {"connection": "close"})


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
