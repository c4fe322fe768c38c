"""Websockets: one connection a session, requests answered in any order, pushes in between."""

import math
from contextlib import suppress

import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, wrap_server_stream
from wsproto.utilities import LocalProtocolError

from bodies.practice.world import picture, wire
from bodies.practice.world.conduct import MESSAGE_LIMIT, Hangup, Silence, reply
from bodies.practice.world.host import Host
from bodies.practice.world.seats import Seat
from bodies.practice.world.tap import Tap

_HANDSHAKE_SECONDS = 10.0
_CLOSE_SECONDS = 2.0
_PING_SECONDS = 15.0
_PONG_SECONDS = 20.0
_AT_ONCE = 32
"""So many requests of one connection are under way at a time; the next waits unread."""


async def serve_websocket(host: Host, tap: Tap, *, is_local: bool) -> None:
    """Serves a websocket on a stream whose request is still to be read, until it closes."""
    try:
        await _serve(host, tap, is_local=is_local)
    except* LocalProtocolError:
        pass  # a ping came after our close was sent, and the library wanted to answer it


async def _serve(host: Host, tap: Tap, *, is_local: bool) -> None:
    async with trio.open_nursery() as nursery:
        socket: WebSocketConnection | None = None
        with trio.move_on_after(_HANDSHAKE_SECONDS), suppress(ConnectionClosed):
            request = await wrap_server_stream(nursery, tap, max_message_size=MESSAGE_LIMIT)
            socket = await request.accept()
        if socket is None:
            nursery.cancel_scope.cancel()
            return
        connection = _Connection(host, socket, tap, nursery, is_local=is_local)
        nursery.start_soon(connection.push)
        nursery.start_soon(connection.ping)
        try:
            await connection.listen()
        finally:
            connection.forget()
            with trio.move_on_after(_CLOSE_SECONDS, shield=True):
                await connection.close()
            nursery.cancel_scope.cancel()


class _Connection:
    """One websocket and the seat that it drives."""

    def __init__(
        self,
        host: Host,
        socket: WebSocketConnection,
        tap: Tap,
        nursery: trio.Nursery,
        *,
        is_local: bool,
    ) -> None:
        self._host = host
        self._socket = socket
        self._tap = tap
        self._nursery = nursery
        self._is_local = is_local
        self._seat: Seat | None = None
        self._limit = trio.CapacityLimiter(_AT_ONCE)
        self._parting: tuple[wire.Ended, int] | None = None
        self._close_code: int | None = 1000
        self._over = trio.Event()

    async def listen(self) -> None:
        """Answers requests until the client or the world closes the connection."""
        self._nursery.start_soon(self._receive)
        self._nursery.start_soon(self._close_when_the_world_stops)
        await self._over.wait()

    def part(self, ended: wire.Ended, code: int) -> None:
        """The seat has ended: the client is told and the connection closes with this code."""
        self._parting = (ended, code)
        self._over.set()

    def forget(self) -> None:
        if self._seat is not None:
            self._seat.connections.discard(self)

    async def close(self) -> None:
        """Closes as the end of the connection asks: with a push, a code, or cut."""
        if self._parting is not None:
            ended, code = self._parting
            await self._send(wire.encoded(ended))
            await self._socket.aclose(code, ended.message)
        elif self._close_code is None:
            await self._tap.cut()
        else:
            await self._socket.aclose(self._close_code)

    async def ping(self) -> None:
        """Pings every 15 s; a client that answers none for 20 s is gone."""
        while True:
            await trio.sleep(_PING_SECONDS)
            with trio.move_on_after(_PONG_SECONDS) as waiting, suppress(ConnectionClosed):
                await self._socket.ping()
            if waiting.cancelled_caught:
                self._close_code = 1011
                self._over.set()

    async def push(self) -> None:
        """Pushes what changed without an action, every two seconds unless set otherwise."""
        pause = self._host.setting.push_seconds
        if pause <= 0:
            return
        shown = sight = None
        while True:
            await trio.sleep(pause)
            seat = self._seat
            if seat is None or seat.ended is not None or seat.under_way is not None:
                continue
            started = trio.current_time()
            self._host.catch_up()
            observation = self._host.observe(seat)
            seen = (observation.scene, observation.minimap, observation.state)
            if seen != shown:
                shown = seen
                await self._send(wire.encoded(observation, push="observation"))
                if seat.ended is not None:  # while it was sent
                    continue
            now_seen = picture.sight(self._host.country, seat.player_id)
            if now_seen != sight:
                sight = now_seen
                await self._send(wire.encoded(self._host.frame(seat), push="frame"))
            seat.dropped += math.floor((trio.current_time() - started) / pause)

    async def _close_when_the_world_stops(self) -> None:
        await self._host.stopping.wait()
        self._close_code = 1001
        self._over.set()

    async def _receive(self) -> None:
        try:
            while True:
                message = await self._socket.get_message()
                await self._limit.acquire_on_behalf_of(token := object())
                self._nursery.start_soon(self._answer, message, token)
        except ConnectionClosed:
            self._over.set()

    async def _answer(self, message: str | bytes, token: object) -> None:
        try:
            await self._send(
                await reply(self._host, message, is_local=self._is_local, attach=self._attach)
            )
        except Hangup as hangup:
            self._close_code = hangup.code
            self._over.set()
        except Silence:
            self._tap.silent = True
        finally:
            self._limit.release_on_behalf_of(token)

    def _attach(self, seat: Seat) -> None:
        if seat is not self._seat:
            self.forget()
            self._seat = seat
        seat.connections.add(self)

    async def _send(self, message: bytes) -> None:
        try:
            await self._socket.send_message(message.decode(errors="replace"))
        except ConnectionClosed:
            self._over.set()
