"""A host of seats that a test scripts: it speaks the seat's wire over any stream and no more."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest
import trio
import trio.testing
from trio_websocket import ConnectionClosed, WebSocketConnection, wrap_server_stream

from bodies.pokemon.seat.addresses import Address, parse_address
from bodies.pokemon.seat.client import Applicant, Credential, Seat, open_seat
from bodies.pokemon.seat.ended import Parting
from bodies.pokemon.seat.link import LinkParted

Message = dict[str, Any]
Answering = Callable[[Message], Awaitable[Message | bytes | None]]

SESSION = "ses_one"
TOKEN = "token-of-the-session"
SECRET = "credential-of-the-player"
SCENE = {
    "mode": "overworld",
    "inputReady": True,
    "waitingForAdvance": False,
    "decoded": True,
}


class Host:
    """Answers by the table `on`, one coroutine an operation; None as an answer means silence."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        self.asked: list[Message] = []
        self.sockets: list[WebSocketConnection] = []
        self.dialled_at: list[float] = []
        self.reachable = True
        self.frozen = False
        self.generation = 1
        self.frame = 1
        self.runs: dict[str, Message] = {}
        self.joined: Message = {
            "ok": True,
            "protocolVersion": 3,
            "worldId": "practice",
            "playerId": "player",
            "sessionId": SESSION,
            "gameId": "firered",
            "token": TOKEN,
            "capabilities": ["world.observe", "world.act", "world.frames"],
            "limits": {
                "maxInputsPerAction": 64,
                "maxFramesPerAction": 1800,
                "stallTimeoutMs": 5000,
            },
        }
        self._usual: dict[str, Answering] = {
            "world.join": self._join,
            "play.observe": self._observe,
            "play.act": self._act,
            "play.frame": self._frame,
            "world.session": self._session,
            "world.leave": self._leave,
        }
        self.on = dict(self._usual)

    @staticmethod
    def observation(frame: int = 1, generation: int = 1, **more: Any) -> Message:
        return {
            "sessionId": SESSION,
            "bodyGeneration": generation,
            "gameId": "firered",
            "adapterVersion": 2,
            "frame": frame,
            "observedAt": "2026-08-19T04:15:15.635Z",
            "scene": SCENE,
            "minimap": None,
            "state": None,
            **more,
        }

    @staticmethod
    def picture(frame: int, generation: int = 1, dropped: int = 0, **more: Any) -> Message:
        return {
            "sessionId": SESSION,
            "bodyGeneration": generation,
            "frame": frame,
            "width": 240,
            "height": 160,
            "dropped": dropped,
            "encoding": "png",
            "data": "iVBORw0KGgo=",
            "capturedAt": "2026-08-19T04:15:15.635Z",
            **more,
        }

    def says(self, operation: str, **answer: Any) -> None:
        """Let every answer to this operation be this one."""

        async def answering(asked: Message) -> Message:
            return answer

        self.on[operation] = answering

    def is_silent_on(self, operation: str) -> None:
        """Let this operation stay unanswered."""

        async def silence(asked: Message) -> None:
            return None

        self.on[operation] = silence

    def does_again(self, operation: str) -> None:
        """Let this operation be answered as at first."""
        self.on[operation] = self._usual[operation]

    async def usual(self, asked: Message) -> Message | bytes | None:
        """The answer as at first."""
        return await self._usual[asked["operation"]](asked)

    def operations(self) -> list[str]:
        return [request["operation"] for request in self.asked]

    async def dial(self) -> trio.abc.Stream:
        """A stream to this host, in memory."""
        self.dialled_at.append(trio.current_time())
        if not self.reachable:
            raise LinkParted(Parting("no connection: refused"))
        ours, theirs = trio.testing.memory_stream_pair()
        self._nursery.start_soon(self.serve_websocket, ours)
        return theirs

    async def dial_line(self) -> trio.abc.Stream:
        self.dialled_at.append(trio.current_time())
        ours, theirs = trio.testing.memory_stream_pair()
        self._nursery.start_soon(self.serve_line, ours)
        return theirs

    async def serve_websocket(self, stream: trio.abc.Stream) -> None:
        async with trio.open_nursery() as nursery:
            request = await wrap_server_stream(nursery, _Freezable(stream, self))
            socket = await request.accept()
            self.sockets.append(socket)
            async with trio.open_nursery() as answering:
                try:
                    while True:
                        asked = json.loads(await socket.get_message())
                        answering.start_soon(self._answer, socket, asked)
                except ConnectionClosed:
                    answering.cancel_scope.cancel()

    async def serve_line(self, stream: trio.abc.Stream) -> None:
        async with stream:
            line = b""
            while not line.endswith(b"\n"):
                some = await stream.receive_some()
                if not some:
                    return
                line += some
            answer = await self._say(json.loads(line))
            if answer is not None:
                await stream.send_all(json.dumps(answer).encode() + b"\n")

    async def push(self, **message: Any) -> None:
        await self.sockets[-1].send_message(json.dumps(message))

    async def push_raw(self, message: bytes) -> None:
        with suppress(ConnectionClosed):
            await self.sockets[-1].send_message(message)

    async def close(self, code: int) -> None:
        await self.sockets[-1].aclose(code)

    async def cut(self) -> None:
        """End the connection without a word."""
        await self.sockets[-1]._stream.aclose()

    async def _answer(self, socket: WebSocketConnection, asked: Message) -> None:
        answer = await self._say(asked)
        if isinstance(answer, bytes):  # as it is, but for its id
            answer = answer.replace(b'"id":0', b'"id":%d' % asked["id"], 1)
        elif answer is not None:
            answer = json.dumps({"id": asked["id"], **answer})
        if answer is not None:
            try:
                await socket.send_message(answer)
            except ConnectionClosed:
                return

    async def _say(self, asked: Message) -> Message | bytes | None:
        self.asked.append(asked)
        return await self.on[asked["operation"]](asked)

    async def _join(self, asked: Message) -> Message:
        return self.joined

    async def _observe(self, asked: Message) -> Message:
        return self.observation(self.frame, self.generation)

    async def _frame(self, asked: Message) -> Message:
        return self.picture(self.frame, self.generation)

    async def _session(self, asked: Message) -> Message:
        return {"ok": True, "sessionId": SESSION}

    async def _leave(self, asked: Message) -> Message:
        return {"ok": True, "sessionId": SESSION, "endedAt": "2026-08-19T05:00:00.000Z"}

    async def _act(self, asked: Message) -> Message:
        key = asked["input"]["idempotencyKey"]
        if key in self.runs:
            return {**self.runs[key], "replayed": True}
        self.frame += 1
        self.runs[key] = {
            "ok": True,
            "sessionId": SESSION,
            "bodyGeneration": self.generation,
            "frame": self.frame,
            "replayed": False,
            "outcome": {
                "kind": "ran",
                "inputsSpent": 1,
                "framesSpent": 20,
                "screenChanged": True,
                "observation": self.observation(self.frame, self.generation),
            },
        }
        return self.runs[key]


class _Freezable(trio.abc.Stream):
    """The host's end of a stream, which hears nothing more once the host is frozen."""

    def __init__(self, inner: trio.abc.Stream, host: Host) -> None:
        self._inner = inner
        self._host = host

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        some = await self._inner.receive_some(max_bytes)
        if self._host.frozen and some:
            await trio.sleep_forever()
        return some

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self._inner.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._inner.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        await self._inner.aclose()


@pytest.fixture
async def host() -> AsyncIterator[Host]:
    async with trio.open_nursery() as nursery:
        yield Host(nursery)
        nursery.cancel_scope.cancel()


@pytest.fixture
def applicant() -> Applicant:
    return Applicant("firered", "Ada", Credential(SECRET))


@pytest.fixture
def address() -> Address:
    return parse_address("ws://localhost:1/seat")


@pytest.fixture
async def unjoined(host: Host, applicant: Applicant, address: Address) -> AsyncIterator[Seat]:
    """A seat at the host, in memory, with waits of exactly 0.5, 1, 2, 4, 8 s between reconnects."""
    async with open_seat(address, applicant, dial=host.dial, chance=lambda: 0.5) as seat:
        yield seat


@pytest.fixture
async def seat(unjoined: Seat) -> Seat:
    await unjoined.join()
    return unjoined
