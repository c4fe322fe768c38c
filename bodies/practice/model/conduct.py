"""Conduct: a request becomes a response, and whatever is to go wrong with it goes wrong here."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import msgspec
import trio

from bodies.practice.model import answering, counting
from bodies.practice.model.asking import asked
from bodies.practice.model.exchange import BadRequest, Exchange, Gone, HttpRequest
from bodies.practice.model.ledger import Entry, Ledger, Outcome, RequestKind, now
from bodies.practice.model.misbehaviour import Due, Mischief
from bodies.practice.model.script import Cut, Failed, Pause, Reply, Script, Send, replied
from bodies.practice.model.wire import (
    MODEL,
    ChatRequest,
    ErrorAnswer,
    ErrorBody,
    ModelList,
    Usage,
    read_chat,
)
from kernel.undecodable import UNDECODABLE


@dataclass
class Provider:
    """A running practice model: how it plays, what is to go wrong, and what it counted."""

    ledger: Ledger
    mischief: Mischief
    seed: int = 0
    latency: float = 0.0
    prefixes: counting.Prefixes = field(default_factory=counting.Prefixes)


class Hangup(Exception):
    """The connection is cut now."""


async def respond(provider: Provider, exchange: Exchange, request: HttpRequest) -> None:
    """Answer one request and enter it in the ledger. Raises Gone; Hangup on request."""
    call = _Call(provider, exchange, request)
    try:
        await exchange.while_there(call.run)
    except Gone:
        if call.outcome == "stopped":
            call.outcome = "gone"
        raise
    finally:
        provider.ledger.add(call.entry())
    if call.outcome == "cut":
        raise Hangup


class _Call:
    """One request, and what is known of it when it ends early."""

    def __init__(self, provider: Provider, exchange: Exchange, request: HttpRequest) -> None:
        self.outcome: Outcome = "stopped"
        self._provider = provider
        self._exchange = exchange
        self._request = request
        self._index = provider.ledger.number()
        self._at = now()
        self._kind: RequestKind = _kind_of(request)
        self._due = Due() if self._kind == "other" else provider.mischief.due(self._kind)
        self._status: int | None = None
        self._model = ""
        self._usage = counting.usage(0, 0, 0)
        self._sent = 0
        self._reported = False

    async def run(self) -> None:
        await trio.sleep(self._due.seconds("late"))
        if self._due.cut == "head":
            self.outcome = "cut"
            return
        try:
            _reject_on_request(self._due)
            match self._kind:
                case "chat":
                    await self._chat(_read(self._request.body))
                case "models":
                    self._status, self.outcome = 200, "whole"
                    await self._exchange.answer(200, msgspec.json.encode(ModelList()))
                case "other":
                    told = "There are only POST /v1/chat/completions and GET /v1/models."
                    raise _Rejected(404, "not_found_error", told)
        except _Rejected as rejected:
            self._status = rejected.status
            self.outcome = "rejected"
            await self._exchange.answer(rejected.status, rejected.body, rejected.headers)

    def entry(self) -> Entry:
        return Entry(
            index=self._index,
            at=self._at,
            request=self._kind,
            status=self._status,
            outcome=self.outcome,
            model=self._model,
            prompt_tokens=self._usage.prompt_tokens,
            cached_tokens=self._usage.prompt_tokens_details.cached_tokens,
            completion_tokens=counting.tokens(self._sent),
            usage_reported=self._reported,
            misdeeds=tuple(str(misdeed) for misdeed in self._due.misdeeds),
        )

    async def _chat(self, chat: ChatRequest) -> None:
        self._model = chat.model[:200]
        if chat.model != MODEL:
            told = f"There is no model {chat.model[:80]!r} here, only {MODEL!r}."
            raise _Rejected(404, "model_not_found", told)
        if not chat.stream:
            raise _Rejected(400, "invalid_request_error", "Ask with stream: true.")
        question = asked(chat)
        content = answering.content(question, self._provider.seed)
        if "invalid" in self._due:
            content = answering.outside_the_catalogue(content)
        reply = replied(content, chat.output_limit, self._due)
        cached = self._provider.prefixes.cached_tokens(question.system)
        prompt = counting.prompt_tokens(chat.messages)
        self._usage = counting.usage(prompt, cached, len(reply.content))
        wants_usage = chat.stream_options is not None and chat.stream_options.include_usage
        await trio.sleep(self._provider.latency)
        await self._stream(reply, self._usage, wants_usage=wants_usage)

    async def _stream(self, reply: Reply, usage: Usage, *, wants_usage: bool) -> None:
        id, created = f"practice-{self._index}", int(time.time())
        script = Script(reply, usage, self._due, id=id, created=created, wants_usage=wants_usage)
        self._status = 200
        headers = {"cache-control": "no-store", "x-request-id": id}
        await self._exchange.begin(200, "text/event-stream", headers)
        outcome: Outcome = "whole"
        for step in script:
            match step:
                case Pause(seconds):
                    await trio.sleep(seconds)
                case Send():
                    await self._send(step)
                case Failed():
                    outcome = "failed"
                case Cut():
                    self.outcome = "cut"
                    return
        self.outcome = outcome
        await self._exchange.end()

    async def _send(self, step: Send) -> None:
        if "split" in self._due:
            for start in range(len(step.data)):
                await self._exchange.send(step.data[start : start + 1])
        else:
            await self._exchange.send(step.data)
        self._sent += step.characters
        self._reported = self._reported or step.tells_usage


def _kind_of(request: HttpRequest) -> RequestKind:
    match request.method, request.path:
        case "POST", "/v1/chat/completions":
            return "chat"
        case "GET", "/v1/models":
            return "models"
        case _:
            return "other"


class _Rejected(Exception):
    def __init__(
        self, status: int, code: str, message: str, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers
        self.body = msgspec.json.encode(ErrorAnswer(ErrorBody(message, code, code)))


def rejection(bad: BadRequest) -> bytes:
    """The body that tells what was wrong with a request."""
    return msgspec.json.encode(
        ErrorAnswer(ErrorBody(bad.message, "invalid_request_error", "bad_request"))
    )


def _reject_on_request(due: Due) -> None:
    argument = due.argument("status")
    if argument is None:
        return
    status, _, retry = argument.partition("/")
    headers = {"retry-after": retry} if retry else None
    message = "The practice model was asked to answer so."
    raise _Rejected(int(status), _CODES.get(int(status), "server_error"), message, headers)


def _read(body: bytes) -> ChatRequest:
    try:
        return read_chat(body)
    except UNDECODABLE as error:
        raise _Rejected(400, "invalid_request_error", str(error)[:300]) from None


_CODES = {
    400: "invalid_request_error",
    401: "invalid_api_key",
    403: "permission_error",
    404: "model_not_found",
    429: "rate_limit_exceeded",
    503: "overloaded_error",
    529: "overloaded_error",
}
