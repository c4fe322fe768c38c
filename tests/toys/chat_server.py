"""A chat-completions server on loopback: real HTTP, a real stream, a scripted answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec
import trio

USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


@dataclass
class ChatServer:
    """`answer` is the decision that every request gets; `stall()` holds answers back.

    Without `usage` it never says what an answer cost. `bodies` are the requests as they came.
    """

    port: int = 0
    answer: dict[str, Any] = field(default_factory=dict)
    usage: dict[str, int] | None = field(default_factory=USAGE.copy)
    bodies: list[bytes] = field(default_factory=list)
    requests: int = 0
    answered: int = 0
    open: trio.Event = field(default_factory=trio.Event)
    _asked: trio.Event = field(default_factory=trio.Event)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def stall(self) -> None:
        self.open = trio.Event()

    async def asked(self, times: int) -> None:
        """Wait until this many requests have come."""
        while self.requests < times:
            await self._asked.wait()

    async def serve(self, stream: trio.SocketStream) -> None:
        try:
            async with stream:
                await self._read_request(stream)
                self.requests += 1
                self._asked.set()
                self._asked = trio.Event()
                await self.open.wait()
                await stream.send_all(self._response())
                self.answered += 1
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return

    async def _read_request(self, stream: trio.SocketStream) -> None:
        data = b""
        while b"\r\n\r\n" not in data:
            data += await stream.receive_some(65536)
        head, _, body = data.partition(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length")
        )
        while len(body) < length:
            body += await stream.receive_some(65536)
        self.bodies.append(body)

    def _response(self) -> bytes:
        content = msgspec.json.encode(self.answer).decode()
        chunks: list[dict[str, Any]] = [
            {"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": None}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        ]
        if self.usage is not None:
            chunks.append({"choices": [], "usage": self.usage})
        events = b"".join(b"data: " + msgspec.json.encode(chunk) + b"\n\n" for chunk in chunks)
        return (
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
            + events
            + b"data: [DONE]\n\n"
        )


@asynccontextmanager
async def chat_server(*, stalled: bool = False, **settings: Any) -> AsyncGenerator[ChatServer]:
    server = ChatServer(**settings)
    if not stalled:
        server.open.set()
    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, server.serve, 0, host="127.0.0.1"))
        server.port = listeners[0].socket.getsockname()[1]
        yield server
        nursery.cancel_scope.cancel()
