"""The wire: chat completions as this server reads and streams them.

Requests are read leniently, for clients send many fields that no rule here needs.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

MODEL = "practice"
FinishReason = Literal["stop", "length", "content_filter"]


class Part(Struct, frozen=True):
    """One piece of a message: text, or a picture, which is only counted."""

    type: str = "text"
    text: str = ""


class Message(Struct, frozen=True):
    role: str
    content: str | tuple[Part, ...] | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        if isinstance(self.content, tuple):
            return tuple(part.text for part in self.content if part.text)
        return (self.content,) if self.content else ()

    @property
    def pictures(self) -> int:
        if not isinstance(self.content, tuple):
            return 0
        return sum(part.type == "image_url" for part in self.content)


class JsonSchema(Struct, frozen=True, rename="camel"):
    """As much of a JSON schema as is needed to write something that fits it."""

    type: str | tuple[str, ...] | None = None
    properties: dict[str, JsonSchema] = {}
    required: tuple[str, ...] = ()
    enum: tuple[msgspec.Raw, ...] = ()
    const: msgspec.Raw | UnsetType = UNSET
    any_of: tuple[JsonSchema, ...] = ()
    items: JsonSchema | None = None
    min_items: int = 0
    min_length: int = 0
    max_length: int | None = None
    minimum: float | None = None
    maximum: float | None = None

    @property
    def types(self) -> tuple[str, ...]:
        return (self.type,) if isinstance(self.type, str) else self.type or ()


class NamedSchema(Struct, frozen=True):
    name: str = ""
    schema: JsonSchema | None = None


class ResponseFormat(Struct, frozen=True):
    type: str = "text"
    json_schema: NamedSchema | None = None


class StreamOptions(Struct, frozen=True):
    include_usage: bool = False


class ChatRequest(Struct, frozen=True):
    model: str
    messages: tuple[Message, ...]
    stream: bool = False
    stream_options: StreamOptions | None = None
    response_format: ResponseFormat | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None

    @property
    def output_limit(self) -> int | None:
        """In tokens."""
        return self.max_completion_tokens or self.max_tokens


class PromptDetails(Struct, frozen=True):
    cached_tokens: int


class Usage(Struct, frozen=True):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: PromptDetails


class Delta(Struct, frozen=True, omit_defaults=True):
    role: Literal["assistant"] | None = None
    content: str | None = None
    refusal: str | None = None


class Choice(Struct, frozen=True):
    delta: Delta
    finish_reason: FinishReason | None = None
    index: int = 0


class Chunk(Struct, frozen=True, kw_only=True):
    """One event of the stream; `usage` is left out unless it is told, even as null."""

    id: str
    created: int
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    model: str = MODEL
    choices: tuple[Choice, ...] = ()
    usage: Usage | UnsetType | None = UNSET


class ErrorBody(Struct, frozen=True):
    message: str
    type: str
    code: str


class ErrorAnswer(Struct, frozen=True):
    error: ErrorBody


class ModelEntry(Struct, frozen=True):
    id: str = MODEL
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "playd practice: rules, not a language model"


class ModelList(Struct, frozen=True):
    object: Literal["list"] = "list"
    data: tuple[ModelEntry, ...] = (ModelEntry(),)


read_chat = msgspec.json.Decoder(ChatRequest).decode
"""Raises msgspec.MsgspecError or UnicodeDecodeError."""
