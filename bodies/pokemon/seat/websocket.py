"""The hosted world's framing: one WebSocket a session, answers in any order, pushes in between."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import count
from typing import cast

import msgspec
import trio
from trio_websocket import (
    ConnectionClosed,
    ConnectionRejected,
    HandshakeError,
    WebSocketConnection,
    wrap_client_stream,
)
from wsproto.utilities import LocalProtocolError

from bodies.pokemon.seat.addresses import Address
from bodies.pokemon.seat.counters import Counters
from bodies.pokemon.seat.dial import Dial
from bodies.pokemon.seat.ended import Parting, parting_of_close
from bodies.pokemon.seat.link import MAX_MESSAGE, Fate, LinkParted, OnPush
from bodies.pokemon.seat.waits import CONNECT_S
from bodies.pokemon.wire import AnswerHead, Request
from kernel.undecodable import UNDECODABLE

PING_EVERY_S = 15.0
PONG_WITHIN_S = 20.0
_FAREWELL_S = 1.0
_HEAD = msgspec.json.Decoder(AnswerHead)


class WebSocketLink(Fate):
    """One WebSocket. Requests run side by side; a cancelled one leaves the others alone."""

    def __init__(self, socket: WebSocketConnection, on_push: OnPush, counters: Counters) -> None:
        super().__init__()
        self._socket = socket
        self._on_push = on_push
        self._counters = counters
        self._ids = count(1)
        self._waiting: dict[int, _Waiting] = {}
        # Unbounded by count, bounded by use: a caller waits for its answer, and a wait that runs
        # out ends the link.
        self._outbox, self._unsent = trio.open_memory_channel[str](math.inf)

    async def ask(self, request: Request) -> bytes:
        """Send under a fresh id and wait for the answer of that id. Raises LinkParted."""
        if self.parting is not None:
            raise LinkParted(self.parting)
        request_id = next(self._ids)
        message = msgspec.json.encode(msgspec.structs.replace(request, id=request_id))
        waiting = self._waiting[request_id] = _Waiting()
        try:
            self._outbox.send_nowait(message.decode())
            await waiting.settled.wait()
        finally:
            del self._waiting[request_id]
        if waiting.answer is None:
            assert self.parting is not None
            raise LinkParted(self.parting)
        return waiting.answer

    def part(self, parting: Parting) -> None:
        """Give it up and wake every request."""
        super().part(parting)
        for waiting in self._waiting.values():
            waiting.settled.set()

    async def read(self) -> None:
        """Hand out what arrives until the connection is over."""
        while self.parting is None:
            try:
                message = await self._socket.get_message()
            except ConnectionClosed as closed:
                self.part(_parting_of(closed))
                return
            self._take(message)

    async def ping(self) -> None:
        """Ask for a sign of life until there is none."""
        while self.parting is None:
            await trio.sleep(PING_EVERY_S)
            with trio.move_on_after(PONG_WITHIN_S) as patience:
                try:
                    await self._socket.ping()
                except ConnectionClosed as closed:
                    self.part(_parting_of(closed))
            if patience.cancelled_caught:
                self.part(Parting(f"no pong for {PONG_WITHIN_S:g} s"))

    async def write(self) -> None:
        """Send what is asked. A task of its own, so that no cancelled request cuts a message."""
        async for text in self._unsent:
            try:
                await self._socket.send_message(text)
            except ConnectionClosed as closed:
                self.part(_parting_of(closed))
                return

    def _take(self, message: str | bytes) -> None:
        raw = message.encode() if isinstance(message, str) else message
        try:
            head = _HEAD.decode(raw)
        except UNDECODABLE:
            self._counters.garbled += 1
            self.part(Parting("the world sent something that is no JSON message"))
            return
        if isinstance(head.push, str):
            self._on_push(raw)
        elif isinstance(head.id, int) and head.id in self._waiting:
            waiting = self._waiting[head.id]
            waiting.answer = raw
            waiting.settled.set()
        else:
            self._counters.late_answers += 1


@asynccontextmanager
async def open_websocket(
    dial: Dial, address: Address, on_push: OnPush, counters: Counters
) -> AsyncGenerator[WebSocketLink]:
    """Connect, and keep reading, writing and pinging while the block runs.

    Raises LinkParted, also when the block does; any other error of the block comes in a group.
    """
    stream = _Announcing(await dial())
    leaving = False
    try:
        async with trio.open_nursery() as nursery:
            socket = await _shake_hands(nursery, stream, address)
            link = WebSocketLink(socket, on_push, counters)
            nursery.start_soon(link.read)
            nursery.start_soon(link.write)
            nursery.start_soon(link.ping)
            yield link
            if link.parting is None:
                leaving = True
                with trio.move_on_after(_FAREWELL_S):
                    await socket.aclose()
            nursery.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        # A ping of the world that crosses our close is one that the library cannot answer any more.
        rejected, others = group.split((HandshakeError, LinkParted, LocalProtocolError))
        if rejected is None or others is not None:
            raise
        if leaving:
            return
        raise LinkParted(_why_rejected(rejected)) from None
    finally:
        await trio.aclose_forcefully(stream)


class _Waiting:
    def __init__(self) -> None:
        self.settled = trio.Event()
        self.answer: bytes | None = None


class _Announcing(trio.abc.Stream):
    """A stream that says when its other end is gone.

    The library waits for a handshake that can no longer come when the stream ends within it.
    """

    def __init__(self, inner: trio.abc.Stream) -> None:
        self._inner = inner
        self.at_end = trio.CancelScope()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        try:
            some = await self._inner.receive_some(max_bytes)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self.at_end.cancel()
            raise
        if not some:
            self.at_end.cancel()
        return some

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self._inner.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._inner.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _shake_hands(
    nursery: trio.Nursery, stream: _Announcing, address: Address
) -> WebSocketConnection:
    with trio.move_on_after(CONNECT_S), stream.at_end:
        return await wrap_client_stream(
            nursery,
            stream,  # pyright: ignore[reportArgumentType]  # any trio stream serves
            address.authority,
            address.path,
            max_message_size=MAX_MESSAGE,
        )
    why = "the connection ended" if stream.at_end.cancelled_caught else "no answer"
    raise LinkParted(Parting(f"{why} during the WebSocket handshake"))


def _parting_of(closed: ConnectionClosed) -> Parting:
    reason = closed.reason
    if reason is None:
        return Parting("the connection closed")
    return parting_of_close(reason.code)


def _why_rejected(group: BaseExceptionGroup[BaseException]) -> Parting:
    first = group.exceptions[0]
    if isinstance(first, BaseExceptionGroup):
        return _why_rejected(cast("BaseExceptionGroup[BaseException]", first))
    if isinstance(first, LinkParted):
        return first.parting
    if isinstance(first, ConnectionRejected):
        return Parting(f"the address answered HTTP {first.status_code} instead of a WebSocket")
    if isinstance(first, LocalProtocolError):
        return Parting("the connection closed")
    return Parting("the WebSocket handshake failed")
