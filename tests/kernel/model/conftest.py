"""A model provider on loopback that plays a script byte by byte, in either language."""

import ssl
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
import trustme

from kernel.model.request import ModelEndpoint, Prompt, Schema, Secret
from kernel.model.transport import Completion, ModelFailure, complete, open_client

KEY = "sk-proj-0123456789abcdefghijklmnop"
SCHEMA = b'{"type":"object","properties":{"action":{"type":"string"}},"required":["action"]}'


class OpenAI:
    """Chat Completions, as the server says it."""

    name = "openai"

    def chunk(self, **fields: Any) -> bytes:
        return b"data: " + msgspec.json.encode({"model": "m-1", **fields}) + b"\n\n"

    def choice(self, **fields: Any) -> bytes:
        return self.chunk(choices=[{"index": 0, "delta": {}, **fields}])

    def opening(self) -> bytes:
        return self.choice(delta={"role": "assistant", "content": ""})

    def piece(self, text: str) -> bytes:
        return self.choice(delta={"content": text})

    def thought(self, text: str) -> bytes:
        return self.choice(delta={"reasoning_content": text})

    def ending(self, reason: str = "stop") -> bytes:
        usage = {"prompt_tokens": 100, "completion_tokens": 20}
        usage |= {"prompt_tokens_details": {"cached_tokens": 60}}
        return self.unreported_ending(reason, usage)

    def unreported_ending(self, reason: str = "stop", usage: Any = None) -> bytes:
        told = b"" if usage is None else self.chunk(choices=[], usage=usage)
        return self.choice(finish_reason=reason) + told + b"data: [DONE]\n\n"

    def error(self, kind: str, message: str, code: str | None = None) -> bytes:
        return self.chunk(error={"type": kind, "message": message, "code": code})

    length, safety = "length", "content_filter"


class Anthropic:
    """Messages, as the server says it; an answer is the input of a tool."""

    name = "anthropic"

    def event(self, kind: str, **fields: Any) -> bytes:
        data = msgspec.json.encode({"type": kind, **fields})
        return b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n"

    def opening(self, **usage: Any) -> bytes:
        usage = {"input_tokens": 40, "cache_read_input_tokens": 60, "output_tokens": 1} | usage
        tool = {"type": "tool_use", "id": "t", "name": "decision", "input": {}}
        return self.event(
            "message_start", message={"model": "m-1", "role": "assistant", "usage": usage}
        ) + self.event("content_block_start", index=0, content_block=tool)

    def delta(self, **delta: Any) -> bytes:
        return self.event("content_block_delta", index=0, delta=delta)

    def piece(self, text: str) -> bytes:
        return self.delta(type="input_json_delta", partial_json=text)

    def thought(self, text: str) -> bytes:
        return self.delta(type="thinking_delta", thinking=text)

    def ending(self, reason: str = "tool_use") -> bytes:
        return self.unreported_ending(reason, {"output_tokens": 20})

    def unreported_ending(self, reason: str = "tool_use", usage: Any = None) -> bytes:
        told = {} if usage is None else {"usage": usage}
        return (
            self.event("content_block_stop", index=0)
            + self.event("message_delta", delta={"stop_reason": reason}, **told)
            + self.event("message_stop")
        )

    def error(self, kind: str, message: str, code: str | None = None) -> bytes:
        return self.event("error", error={"type": kind, "message": message})

    length, safety = "max_tokens", "refusal"


class Provider:
    """Answers every request with the script it was given.

    A script is the bytes to send, each in its own HTTP chunk; afterwards the body ends, is `cut`
    or `hangs` until the client closes, which sets `closed`.
    """

    def __init__(self, nursery: trio.Nursery, dialect: OpenAI | Anthropic) -> None:
        self.dialect = dialect
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.closed = trio.Event()
        self.sent = trio.Event()
        self._nursery = nursery
        self._steps: tuple[bytes, ...] = ()
        self._head = ""
        self._then = "ends"
        self._port = 0
        self._chunked = True

    async def serve(self, tls: ssl.SSLContext | None = None) -> None:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self._port = listeners[0].socket.getsockname()[1]

        async def talk(stream: trio.SocketStream) -> None:
            try:
                await self._talk(trio.SSLStream(stream, tls, server_side=True) if tls else stream)
            except (trio.BrokenResourceError, ConnectionError):
                self.closed.set()
            finally:
                await trio.aclose_forcefully(stream)

        self._nursery.start_soon(trio.serve_listeners, talk, listeners)

    def plays(
        self,
        *steps: bytes,
        then: str = "ends",
        status: str = "200 OK",
        chunked: bool = True,
        answers: bool = True,
        kind: str = "text/event-stream",
        **headers: str,
    ) -> None:
        self._steps, self._then, self._chunked = steps, then, chunked
        lines = [f"HTTP/1.1 {status}", f"content-type: {kind}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        lines += ["transfer-encoding: chunked" if chunked else "connection: close"]
        self._head = "\r\n".join(lines) + "\r\n\r\n" if answers else ""

    def endpoint(self, **changes: Any) -> ModelEndpoint:
        base = changes.pop("base_url", f"http://127.0.0.1:{self._port}/v1")
        fields: dict[str, Any] = {
            "name": "mind",
            "provider": self.dialect.name,
            "base_url": base,
            "model": "m-1",
            "api_key": Secret(KEY),
            "deadline": 10.0,
            "stall": 10.0,
        }
        return ModelEndpoint(**(fields | changes))

    async def ask(
        self,
        prompt: Prompt | None = None,
        scope: trio.CancelScope | None = None,
        **changes: Any,
    ) -> Completion | ModelFailure:
        endpoint = self.endpoint(**changes)
        prompt = prompt or Prompt(
            system="You play.", parts=("A door.",), schema=Schema("decision", SCHEMA)
        )
        with trio.fail_after(60):
            async with open_client(endpoint) as client:
                return await complete(client, endpoint, prompt, 500, scope=scope)

    async def completion(self, *steps: bytes, **plays: Any) -> Completion:
        self.plays(*steps, **plays)
        outcome = await self.ask()
        assert isinstance(outcome, Completion), outcome
        return outcome

    async def failure(self, *steps: bytes, **plays: Any) -> ModelFailure:
        self.plays(*steps, **plays)
        outcome = await self.ask()
        assert isinstance(outcome, ModelFailure), outcome
        return outcome

    async def _talk(self, stream: trio.abc.Stream) -> None:
        received = b""
        while b"\r\n\r\n" not in received:
            received += await stream.receive_some()
        head, _, body = received.partition(b"\r\n\r\n")
        lines = head.decode().lower().split("\r\n")
        (length,) = (int(x.partition(":")[2]) for x in lines if x.startswith("content-length"))
        while len(body) < length:
            body += await stream.receive_some()
        self.requests.append((head.decode(), msgspec.json.decode(body)))
        await stream.send_all(self._head.encode())
        for step in self._steps:
            framed = b"%x\r\n%s\r\n" % (len(step), step) if self._chunked else step
            await stream.send_all(framed)
        self.sent.set()
        if self._then == "trickles":
            while True:
                await stream.send_all(b"5\r\n: on\n\r\n")
                await trio.sleep(0.01)
        if self._then == "hangs":
            await stream.receive_some()
            self.closed.set()
        elif self._then == "ends" and self._chunked:
            await stream.send_all(b"0\r\n\r\n")


@pytest.fixture(params=[OpenAI, Anthropic], ids=["openai", "anthropic"])
def dialect(request: pytest.FixtureRequest) -> OpenAI | Anthropic:
    return request.param()


@pytest.fixture
def openai_dialect() -> OpenAI:
    return OpenAI()


@pytest.fixture
def anthropic_dialect() -> Anthropic:
    return Anthropic()


@pytest.fixture
async def provider(nursery: trio.Nursery, dialect: OpenAI | Anthropic) -> Provider:
    """Speaks the dialect that the test is given: both, unless its module picks one."""
    serving = Provider(nursery, dialect)
    await serving.serve()
    return serving


@pytest.fixture
async def tls_provider(
    nursery: trio.Nursery, dialect: OpenAI | Anthropic, tmp_path: Path
) -> tuple[Provider, str]:
    """A provider behind TLS, and a file with the authority that vouches for it."""
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    serving = Provider(nursery, dialect)
    await serving.serve(context)
    file = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(file))
    return serving, str(file)
