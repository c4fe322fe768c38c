"""The script: an answer as the steps of its stream, with everything that is to go wrong in it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import UNSET, Struct, UnsetType

from bodies.practice.model import counting
from bodies.practice.model.misbehaviour import Due
from bodies.practice.model.wire import (
    Choice,
    Chunk,
    Delta,
    ErrorAnswer,
    ErrorBody,
    FinishReason,
    PromptDetails,
    Usage,
)

PIECE = 4 * counting.CHARACTERS_PER_TOKEN
"""Characters in one event of the stream."""
_REFUSAL = "The practice model was asked to refuse."
_PROSE = "Words instead of an object, as the practice model was asked to."


class Send(Struct, frozen=True):
    """Bytes to send. `characters` of the answer are in them; `tells_usage`: all of it, truly."""

    data: bytes
    characters: int = 0
    tells_usage: bool = False


class Pause(Struct, frozen=True):
    seconds: float


class Cut(Struct, frozen=True):
    """The connection is cut; the script ends here."""


class Failed(Struct, frozen=True):
    """An error event was the last; the script ends here."""


Step = Send | Pause | Cut | Failed


class Reply(Struct, frozen=True):
    """What is answered. A refusal's words are counted like an answer's."""

    content: str
    finish: FinishReason = "stop"
    refused: bool = False


def replied(content: str, limit: int | None, due: Due) -> Reply:
    """The reply with this content, within a limit of tokens, after what is to go wrong with it."""
    half = content[: len(content) // 2]
    if "refuse" in due:
        reply = Reply(_REFUSAL, refused=True)
    elif "empty" in due:
        reply = Reply("")
    elif "filter" in due:
        reply = Reply(half, "content_filter")
    elif "length" in due:
        reply = Reply(half, "length")
    elif "prose" in due:
        reply = Reply(_PROSE)
    else:
        reply = Reply(content)
    if limit is not None and counting.tokens(len(reply.content)) > limit:
        fits = reply.content[: limit * counting.CHARACTERS_PER_TOKEN]
        return Reply(fits, "length", reply.refused)
    return reply


class Script:
    """One answer's stream. Iterating gives what follows the response's head."""

    def __init__(
        self, reply: Reply, usage: Usage, due: Due, *, id: str, created: int, wants_usage: bool
    ) -> None:
        self._reply = reply
        self._usage = usage
        self._due = due
        self._id = id
        self._created = created
        self._wants_usage = wants_usage

    def __iter__(self) -> Iterator[Step]:
        for step in self._steps():
            yield step
            if isinstance(step, Cut | Failed):
                return

    def _steps(self) -> Iterator[Step]:
        due = self._due
        if seconds := due.seconds("stall"):
            yield Pause(seconds)
        yield self._event(Delta(role="assistant", content=""), told_at="early")
        content = self._reply.content
        starts = range(0, len(content), PIECE)
        middle = starts[len(starts) // 2] if starts else None
        for start in starts:
            if start == middle:
                yield from self._midway()
            if seconds := due.seconds("trickle"):
                yield Pause(seconds)
            yield self._piece(start, min(start + PIECE, len(content)))
        if due.cut == "before-end":
            yield Cut()
        yield self._event(Delta(), self._reply.finish, told_at="with-end")
        if due.cut == "after-end":
            yield Cut()
        if self._wants_usage and due.telling in (None, "null", "zero"):
            yield self._told_last()
        if due.cut == "after-usage":
            yield Cut()
        yield Send(b"data: [DONE]\n\n")

    def _midway(self) -> Iterator[Step]:
        due = self._due
        if seconds := due.seconds("stall-midway"):
            yield Pause(seconds)
        if due.cut == "midway":
            yield Cut()
        if "garbage" in due:
            yield Send(b'data: {"choices": [tr\xc3\xbce,\n\n')
        if (code := due.argument("error")) is not None:
            body = ErrorBody("The practice model was asked to fail here.", code, code)
            yield Send(_event(ErrorAnswer(body)))
            yield Failed()

    def _piece(self, start: int, end: int) -> Send:
        piece = self._reply.content[start:end]
        delta = Delta(refusal=piece) if self._reply.refused else Delta(content=piece)
        if self._due.telling != "growing":
            return Send(self._chunk(delta), end - start)
        cached = self._usage.prompt_tokens_details.cached_tokens
        so_far = counting.usage(self._usage.prompt_tokens, cached, end)
        whole = end == len(self._reply.content)
        return Send(self._chunk(delta, usage=so_far), end - start, tells_usage=whole)

    def _event(self, delta: Delta, finish: FinishReason | None = None, *, told_at: str) -> Send:
        told = self._due.telling == told_at
        usage = self._usage if told else UNSET
        return Send(self._chunk(delta, finish, usage), tells_usage=told)

    def _told_last(self) -> Send:
        """The event of its own that tells the usage, or tells it amiss."""
        amiss: dict[str | None, Usage | None] = {
            "null": None,
            "zero": Usage(0, 0, 0, PromptDetails(0)),
        }
        usage = amiss.get(self._due.telling, self._usage)
        chunk = Chunk(id=self._id, created=self._created, usage=usage)
        return Send(_event(chunk), tells_usage=usage is self._usage)

    def _chunk(
        self,
        delta: Delta,
        finish: FinishReason | None = None,
        usage: Usage | UnsetType = UNSET,
    ) -> bytes:
        choices = (Choice(delta, finish),)
        return _event(Chunk(id=self._id, created=self._created, choices=choices, usage=usage))


def _event(body: Chunk | ErrorAnswer) -> bytes:
    return b"data: " + msgspec.json.encode(body) + b"\n\n"
