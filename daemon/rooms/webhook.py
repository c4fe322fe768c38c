"""A room that is told by signed POST requests.

A delivery is tried `TRIES` times, `TRY_SECONDS` each, with the name resolved and a fresh timestamp
signed every time. No redirect is followed, no proxy is used, certificates are verified, and what
the receiver answers beyond its status is not read.
"""

from __future__ import annotations

import os
import ssl
import time

import httpx
import msgspec
import trio

from config.credentials import CredentialError, read_credential
from config.secret import Secret
from config.settings import WebhookRoom
from daemon.control.wire import DeliveryOutcome
from daemon.rooms.addresses import ForbiddenAddress, addresses_of
from daemon.rooms.delivery import Delivery
from daemon.rooms.destination import DeliveryFailed
from daemon.rooms.signature import signed
from kernel.version import VERSION

TRIES = 3
TRY_SECONDS = 10.0
PAUSES = (1.0, 2.0)
"""Seconds between the tries."""
_WORTH_ANOTHER_TRY = frozenset((408, 425, 429))


class Webhook:
    """The receiver behind one URL. A 2xx answer says that it plays words and notables."""

    def __init__(self, settings: WebhookRoom) -> None:
        self._settings = settings
        self._url = httpx.URL(settings.url)
        self._ready: tuple[Secret, httpx.AsyncClient] | None = None

    async def deliver(self, delivery: Delivery) -> DeliveryOutcome | None:
        """See `Destination`; takes at most 33 s."""
        secret, client = await self._prepared()
        body = msgspec.json.encode(delivery)
        problem = ""
        for number in range(TRIES):
            if number:
                await trio.sleep(PAUSES[number - 1])
            try:
                with trio.fail_after(TRY_SECONDS):
                    await self._post(client, secret, body, number)
            except _Unsuccessful as error:
                problem = str(error)
            except trio.TooSlowError:
                problem = f"no answer within {TRY_SECONDS:g} s"
            else:
                return None if delivery.kind == "narration" else "played"
        raise DeliveryFailed(f"{problem} ({TRIES} tries)")

    async def close(self) -> None:
        """Close its connections."""
        if self._ready is not None:
            await self._ready[1].aclose()

    async def _prepared(self) -> tuple[Secret, httpx.AsyncClient]:
        if self._ready is None:
            try:
                self._ready = await trio.to_thread.run_sync(self._prepare)
            except (CredentialError, ssl.SSLError, OSError) as error:
                raise DeliveryFailed(str(error)) from error
        return self._ready

    def _prepare(self) -> tuple[Secret, httpx.AsyncClient]:
        secret = read_credential(self._settings.secret, os.environ)
        if self._url.scheme == "https":
            trust = ssl.create_default_context()
        else:
            trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # trusts nobody, costs nothing
        client = httpx.AsyncClient(
            verify=trust,
            trust_env=False,
            follow_redirects=False,
            timeout=None,  # the deadline of the try is over all of it
            limits=httpx.Limits(max_keepalive_connections=0),
        )
        return secret, client

    async def _post(
        self, client: httpx.AsyncClient, secret: Secret, body: bytes, number: int
    ) -> None:
        """One try. Raises _Unsuccessful for what another may mend, else DeliveryFailed."""
        host = self._url.host
        request = client.build_request(
            "POST",
            self._url.copy_with(host=await self._address(number)),
            content=body,
            headers={
                "Host": self._url.netloc.decode("ascii"),
                "Content-Type": "application/json",
                "User-Agent": f"playd/{VERSION}",
                **signed(secret, body, time.time()),
            },
            extensions={"sni_hostname": host},
        )
        try:
            response = await client.send(request, stream=True)
            await response.aclose()
        except httpx.ConnectError as error:
            raise _Unsuccessful(_why_unconnected(error)) from error
        except httpx.TransportError as error:
            raise _Unsuccessful("it does not answer in HTTP") from error
        _judge(response.status_code)

    async def _address(self, number: int) -> str:
        port = self._url.port or (443 if self._url.scheme == "https" else 80)
        try:
            addresses = await addresses_of(
                self._url.host, port, allow_private=self._settings.allow_private_addresses
            )
        except OSError as error:
            raise _Unsuccessful(f"its name cannot be resolved: {error.strerror}") from error
        except ForbiddenAddress:
            raise DeliveryFailed(
                "its name leads to this host or a private network, which needs "
                "allow_private_addresses = true"
            ) from None
        return addresses[number % len(addresses)]


class _Unsuccessful(Exception):
    """A try that another one may mend."""


def _judge(status: int) -> None:
    if 200 <= status < 300:
        return
    if 300 <= status < 400:
        raise DeliveryFailed(f"it answered {status}, and no redirect is followed")
    if status >= 500 or status in _WORTH_ANOTHER_TRY:
        raise _Unsuccessful(f"it answered {status}")
    raise DeliveryFailed(f"it answered {status}")


def _why_unconnected(error: BaseException) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not valid: {cause.verify_message}"
        cause = cause.__cause__ or cause.__context__
    return "it cannot be connected to"
