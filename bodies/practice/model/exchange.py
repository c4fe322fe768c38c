"""The exchange: HTTP/1.1 on one connection, request after request. h11 knows the protocol."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import h11
import msgspec
import trio

BODY_BYTES = 32 * 1024 * 1024
IDLE_SECONDS = 60.0
REQUEST_SECONDS = 30.0
_READ = 65_536


class HttpRequest(msgspec.Struct, frozen=True):
    method: str
    path: str
    body: bytes


class BadRequest(Exception):
    """The request cannot be read; it is answered with this status and the connection closes."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class Gone(Exception):
    """The client closed the connection."""


class Exchange:
    """The server's side of one connection."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_READ)

    async def next_request(self) -> HttpRequest | None:
        """The next request, or None when there is none within a minute. Raises Gone, BadRequest."""
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        elif self._http.our_state is not h11.IDLE:
            return None  # the last answer ends with the connection
        try:
            with trio.move_on_after(IDLE_SECONDS):
                head = await self._next_event()
                if isinstance(head, h11.Request):
                    with trio.fail_after(REQUEST_SECONDS):
                        return await self._whole(head)
        except trio.TooSlowError:
            raise BadRequest(408, "the request did not arrive within 30 s") from None
        except h11.RemoteProtocolError as error:
            raise BadRequest(error.error_status_hint, str(error)) from None
        return None

    async def answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        """A whole JSON answer. Raises Gone."""
        length = {"content-length": str(len(body)), **(headers or {})}
        await self.begin(status, "application/json", length)
        await self.send(body)
        await self.end()

    async def begin(
        self, status: int, content_type: str, headers: dict[str, str] | None = None
    ) -> None:
        """The head of an answer whose body follows. Raises Gone."""
        told = {"content-type": content_type, **(headers or {})}
        await self._put(h11.Response(status_code=status, headers=list(told.items())))

    async def send(self, data: bytes) -> None:
        """A part of the body. Raises Gone."""
        await self._put(h11.Data(data=data))

    async def end(self) -> None:
        """The end of the body. Raises Gone."""
        await self._put(h11.EndOfMessage())

    async def while_there(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do the work unless the client leaves meanwhile. Raises Gone."""
        left = False

        async def watch(scope: trio.CancelScope) -> None:
            nonlocal left
            try:
                data = await self._stream.receive_some(_READ)
            except trio.BrokenResourceError:
                data = b""
            if data:
                self._http.receive_data(bytes(data))  # the next request's; it waits unread
            else:
                left = True
                scope.cancel()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(watch, nursery.cancel_scope)
            try:
                await work()
            except Gone:
                left = True
            nursery.cancel_scope.cancel()
        if left:
            raise Gone

    async def _whole(self, head: h11.Request) -> HttpRequest:
        body = bytearray()
        while isinstance(event := await self._next_event(), h11.Data):
            body += event.data
            if len(body) > BODY_BYTES:
                raise BadRequest(413, f"the body is larger than {BODY_BYTES} bytes")
        path = head.target.decode("ascii").partition("?")[0]
        return HttpRequest(head.method.decode("ascii"), path, bytes(body))

    async def _next_event(self) -> h11.Event:
        while True:
            event = self._http.next_event()
            if isinstance(event, h11.Event):
                return event
            if self._http.they_are_waiting_for_100_continue:
                await self._put(h11.InformationalResponse(status_code=100, headers=[]))
            try:
                data = await self._stream.receive_some(_READ)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                raise Gone from None
            self._http.receive_data(bytes(data))

    async def _put(self, event: h11.Event) -> None:
        data = self._http.send(event)
        if data:
            try:
                await self._stream.send_all(data)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                raise Gone from None
