"""The HTTP edge: one request, one stream, one outcome. Nothing is tried twice in here."""

import ssl
import time
from collections.abc import AsyncIterator

import httpx
import httpx_sse
import msgspec
import trio

from kernel.model import anthropic, openai
from kernel.model.answer import BadStream, Ending, StreamReader, settle
from kernel.model.bounds import StreamBounds
from kernel.model.errors import (
    CODE_CHARACTERS,
    FailureKind,
    ModelFailure,
    ProviderError,
    classify,
    clean,
    implied_status,
    read_error,
    retry_after,
)
from kernel.model.request import ModelEndpoint, Prompt
from kernel.model.usage import NOTHING_USED, Usage

OK = 200
ERROR_BODY_BYTES = 64 << 10
ERROR_BODY_SECONDS = 2.0
NO_ERROR = ProviderError(message="")


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """One whole answer. `object` is the JSON object's exact bytes when a schema was given.

    `usage` is None or not complete where the provider did not tell; `first_token_seconds` counts
    from the call's start; `model` is the provider's word for what answered.
    """

    text: str
    object: bytes | None
    usage: Usage | None
    first_token_seconds: float
    finish: str | None
    request_id: str | None
    model: str | None


def open_client(endpoint: ModelEndpoint) -> httpx.AsyncClient:
    """The client for one endpoint; the caller closes it.

    A connection serves one call, so none is ever found half-read or gone stale, which would cost
    a call's reserve. Redirects and the environment's proxies are not followed. A `ca_file` is
    trusted alone. Raises OSError (ssl.SSLError among them) for one that cannot be used.
    """
    if endpoint.ca_file is not None:
        trust: ssl.SSLContext | bool = ssl.create_default_context(cafile=endpoint.ca_file)
    elif endpoint.base_url.lower().startswith("https:"):
        trust = True
    else:
        # Trusts nobody: the usual authorities take a while to load and plain HTTP asks for none.
        trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx.AsyncClient(
        verify=trust,
        trust_env=False,
        follow_redirects=False,
        timeout=None,  # complete() holds one deadline over everything
        limits=httpx.Limits(max_keepalive_connections=0),
    )


async def complete(
    client: httpx.AsyncClient,
    endpoint: ModelEndpoint,
    prompt: Prompt,
    output_limit: int,
    *,
    scope: trio.CancelScope | None = None,
) -> Completion | ModelFailure:
    """Asks once. `output_limit` is in tokens and at least 1 (K30).

    Cancelling `scope` ends this call alone: the connection closes and the outcome is a
    `cancelled` failure with the usage reported so far (K7). Cancellation from further out passes
    through. The deadline covers everything (K10); the stall limit runs from the first content.
    """
    if output_limit < 1:
        raise ValueError("an output limit is at least 1 token")
    call = _Call(endpoint, wants_object=prompt.schema is not None)
    withdrawal = scope or trio.CancelScope()
    deadline = trio.CancelScope(deadline=trio.current_time() + endpoint.deadline)
    with withdrawal, deadline, call.stall:
        return await call.run(client, prompt, output_limit)
    if withdrawal.cancelled_caught:
        return call.failure(FailureKind.CANCELLED, "withdrawn while it was in flight")
    if deadline.cancelled_caught:
        return call.cut_short(FailureKind.DEADLINE, f"no answer within {endpoint.deadline:g} s")
    return call.cut_short(FailureKind.STALL, f"nothing new for {endpoint.stall:g} s")


class _Call:
    """One attempt, and what is known of it if it is cut short."""

    def __init__(self, endpoint: ModelEndpoint, *, wants_object: bool) -> None:
        self.stall = trio.CancelScope()
        self._endpoint = endpoint
        self._wants_object = wants_object
        self._started = trio.current_time()
        self._first_token: float | None = None
        self._response: httpx.Response | None = None
        self._sent = False
        """Whether a byte of the request may have left: until then the provider cannot bill it."""
        self._error = NO_ERROR
        wants_tool = wants_object and endpoint.structured == "json_schema"
        self._reader: StreamReader = (
            openai.OpenAIStream()
            if endpoint.provider == "openai"
            else anthropic.AnthropicStream(from_tool=wants_tool)
        )

    async def run(
        self, client: httpx.AsyncClient, prompt: Prompt, output_limit: int
    ) -> Completion | ModelFailure:
        provider = openai if self._endpoint.provider == "openai" else anthropic
        body = provider.request_body(self._endpoint, prompt, output_limit)
        headers = {
            "content-type": "application/json",
            "accept": "text/event-stream",
            "accept-encoding": "identity",
            "user-agent": "playd",
            **provider.headers(self._endpoint),
        }
        url = provider.url(self._endpoint)
        try:
            async with client.stream(
                "POST", url, content=body, headers=headers, extensions={"trace": self._trace}
            ) as response:
                self._response = response
                return await self._receive(response)
        except BadStream as error:
            return self.failure(FailureKind.PROTOCOL, str(error))
        except (httpx.UnsupportedProtocol, httpx.InvalidURL, httpx.LocalProtocolError):
            # The library's own words here may quote a header, and so the key.
            return self.failure(FailureKind.BAD_REQUEST, "base_url cannot be requested: check it")
        except httpx.TransportError as error:
            return self.cut_short(FailureKind.CONNECTION, str(error) or type(error).__name__)

    def cut_short(self, kind: FailureKind, message: str) -> Completion | ModelFailure:
        """The outcome when the stream went no further: what had already ended counts as told."""
        if self._status() not in (None, OK):
            self._error = msgspec.structs.replace(self._error, status=self._status())
            return self._rejected()
        if self._reader.answer.ending is Ending.OPEN:
            return self.failure(kind, message)
        return self._settled()

    def failure(self, kind: FailureKind, message: str) -> ModelFailure:
        response = self._response
        asked = None if response is None else retry_after(response.headers, time.time())
        code = self._error.code or self._error.type or self._reader.answer.finish
        return ModelFailure(
            kind=kind,
            message=self._clean(message),
            status=implied_status(self._error) or self._status(),
            code=None if code is None else self._clean(code, CODE_CHARACTERS),
            request_id=self._request_id(),
            retry_after=asked,
            usage=self._reader.answer.usage if self._sent else NOTHING_USED,
        )

    async def _trace(self, event: str, _: object) -> None:
        # What belongs to making the connection is named so; all else handles the request itself.
        self._sent = self._sent or not event.startswith("connection.")

    async def _receive(self, response: httpx.Response) -> Completion | ModelFailure:
        if response.status_code != OK:
            await self._read_error_body(response)
            return self._rejected()
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "text/event-stream":
            await self._read_error_body(response)
            if self._error != NO_ERROR:
                return self._rejected()
            return self.failure(FailureKind.PROTOCOL, f"answered {kind!r}, not an event stream")
        if response.headers.get("content-encoding", "identity") != "identity":
            return self.failure(FailureKind.PROTOCOL, "answered compressed, unasked")
        await self._read_events(response)
        return self._settled()

    async def _read_events(self, response: httpx.Response) -> None:
        """Reads until the answer is done, the body ends or the provider breaks its protocol.

        Raises BadStream. Reading is always ended by cancelling it, never by leaving the loop:
        that alone unwinds the libraries' chain of generators in order.
        """
        body = _Body(response)
        fault = None
        with body.reading:
            async for event in httpx_sse.EventSource(body.checked()).aiter_sse():
                try:
                    moved = fault is None and self._reader.feed(event.event, event.data)
                except BadStream as error:
                    fault, moved = error, False
                if moved:
                    now = trio.current_time()
                    self._first_token = self._first_token or now - self._started
                    self.stall.deadline = now + self._endpoint.stall
                if fault or self._reader.answer.done:
                    body.reading.cancel()
        fault = fault or body.fault
        if fault:
            raise fault

    async def _read_error_body(self, response: httpx.Response) -> None:
        """Learns what it can in a short while; the status alone would do."""
        body = bytearray()
        with trio.move_on_after(ERROR_BODY_SECONDS) as reading:
            async for chunk in response.aiter_raw():
                body += chunk[: ERROR_BODY_BYTES - len(body)]
                if len(body) >= ERROR_BODY_BYTES:
                    reading.cancel()
        words = body.decode(errors="replace")
        error = read_error(bytes(body))
        if response.status_code != OK:
            error = error or ProviderError(message=words or response.reason_phrase)
            error = msgspec.structs.replace(error, status=response.status_code)
        self._error = error or self._error

    def _rejected(self) -> ModelFailure:
        return self.failure(classify(self._error), self._error.message)

    def _settled(self) -> Completion | ModelFailure:
        answer = self._reader.answer
        if answer.error is not None:
            self._error = answer.error
            return self._rejected()
        outcome = settle(answer, wants_object=self._wants_object)
        if isinstance(outcome, FailureKind):
            return self.failure(outcome, _REASONS[outcome])
        return Completion(
            text=outcome.text,
            object=outcome.object,
            usage=answer.usage,
            first_token_seconds=self._first_token or 0.0,
            finish=answer.finish,
            request_id=self._request_id(),
            model=answer.model,
        )

    def _status(self) -> int | None:
        return None if self._response is None else self._response.status_code

    def _request_id(self) -> str | None:
        if self._response is None:
            return None
        headers = self._response.headers
        value = headers.get("x-request-id") or headers.get("request-id")
        return None if value is None else self._clean(value, CODE_CHARACTERS)

    def _clean(self, text: str, limit: int | None = None) -> str:
        key = self._endpoint.api_key.reveal()
        return clean(text, key) if limit is None else clean(text, key, limit)


class _Body(httpx.AsyncByteStream):
    """A response's bytes as they come, until one breaks the bounds; then it stops the reading."""

    def __init__(self, response: httpx.Response) -> None:
        self.reading = trio.CancelScope()
        self.fault: BadStream | None = None
        self._response = response
        self._bounds = StreamBounds()

    def checked(self) -> httpx.Response:
        """The response that the decoder of events reads."""
        kind = {"content-type": "text/event-stream; charset=utf-8"}
        return httpx.Response(self._response.status_code, headers=kind, stream=self)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._response.aiter_raw():
            try:
                self._bounds.check(chunk)
            except BadStream as fault:
                self.fault = self.fault or fault
                self.reading.cancel()
            if self.fault is None:
                yield chunk


_REASONS = {
    FailureKind.CONNECTION: "the stream ended without the provider's end marker",
    FailureKind.REFUSED: "the model or its provider refused to answer",
    FailureKind.TRUNCATED: "the answer was cut before its end",
    FailureKind.EMPTY: "the answer was empty",
    FailureKind.AMBIGUOUS: "the answer held more than one object",
    FailureKind.NOT_JSON: "the answer held no whole JSON object",
}
