"""The HTTP endpoint for those who watch: `/metrics`, `/healthz`, `/readyz`.

GET alone, one request a connection, nothing of it trusted and nothing kept of it.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import h11
import trio

from config.addresses import parse_bind

CONNECTIONS = 32
"""At a time; one more is closed at once."""
REQUEST_SECONDS = 10.0
"""From the connection to the last byte of the answer."""
HEAD_BYTES = 16 * 1024

_log = logging.getLogger(__name__)


class EndpointRefused(Exception):
    """The endpoint cannot listen; the text names the address and the next step."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a page says."""

    body: bytes
    status: int = 200
    content_type: str = "text/plain; charset=utf-8"


Page = Callable[[], Awaitable[Answer]]


async def serve_pages(
    bind: str,
    pages: dict[str, Page],
    *,
    task_status: trio.TaskStatus[str] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve the pages, by their path, until cancelled; starts with the real `HOST:PORT`.

    Raises EndpointRefused.
    """
    host, port = parse_bind(bind)
    try:
        listeners = await trio.open_tcp_listeners(port, host=host)
    except OSError as error:
        raise EndpointRefused(
            f"cannot listen at {bind} for metrics: {error.strerror or error}: "
            "set another address in [metrics] bind"
        ) from None
    door = _Door(pages, trio.CapacityLimiter(CONNECTIONS))
    name, port = listeners[0].socket.getsockname()[:2]
    task_status.started(f"[{name}]:{port}" if ":" in name else f"{name}:{port}")
    await trio.serve_listeners(door.let_in, listeners)


@dataclass(frozen=True, slots=True)
class _Door:
    pages: dict[str, Page]
    room: trio.CapacityLimiter

    async def let_in(self, stream: trio.SocketStream) -> None:
        try:
            self.room.acquire_nowait()
        except trio.WouldBlock:
            await trio.aclose_forcefully(stream)
            return
        try:
            with trio.move_on_after(REQUEST_SECONDS):
                await self._converse(stream)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return  # the client is gone, and nothing is owed to it
        finally:
            self.room.release()
            await trio.aclose_forcefully(stream)

    async def _converse(self, stream: trio.SocketStream) -> None:
        http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_BYTES)
        try:
            request = await _next_request(http, stream)
            answer = None if request is None else await self._answer(request)
        except h11.RemoteProtocolError as error:
            answer = Answer(b"This is not HTTP.\n", error.error_status_hint)
        if answer is None or http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        headers = [
            ("content-type", answer.content_type),
            ("content-length", str(len(answer.body))),
            ("cache-control", "no-store"),
            ("connection", "close"),
        ]
        for event in (
            h11.Response(status_code=answer.status, headers=headers),
            h11.Data(data=answer.body),
            h11.EndOfMessage(),
        ):
            if data := http.send(event):
                await stream.send_all(data)
        await stream.send_eof()

    async def _answer(self, request: h11.Request) -> Answer:
        if request.method != b"GET":
            return Answer(b"Only GET is answered.\n", 405)
        page = self.pages.get(request.target.partition(b"?")[0].decode("ascii"))
        if page is None:
            known = ", ".join(self.pages)
            return Answer(f"There is no such page; there are {known}.\n".encode(), 404)
        try:
            return await page()
        except Exception:
            _log.exception("the page %s failed", request.target)
            return Answer(b"This page failed; the daemon's log says why.\n", 500)


async def _next_request(http: h11.Connection, stream: trio.SocketStream) -> h11.Request | None:
    """The request's head; None: the client went away."""
    while True:
        event = http.next_event()
        if isinstance(event, h11.Request):
            return event
        if event is not h11.NEED_DATA:
            return None
        http.receive_data(bytes(await stream.receive_some(HEAD_BYTES)))
