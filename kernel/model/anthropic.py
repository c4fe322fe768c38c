"""Messages, as Anthropic speaks it."""

import base64
from typing import Any

import msgspec

from kernel.model.answer import Answer, BadStream, Ending
from kernel.model.errors import ProviderError, read_error
from kernel.model.request import ModelEndpoint, Prompt, system_text
from kernel.model.usage import AnthropicCount
from kernel.undecodable import UNDECODABLE

API_VERSION = "2023-06-01"


def url(endpoint: ModelEndpoint) -> str:
    return endpoint.base_url.rstrip("/").removesuffix("/v1") + "/v1/messages"


def headers(endpoint: ModelEndpoint) -> dict[str, str]:
    key = endpoint.api_key.reveal()
    credentials = {"x-api-key": key} if key else {}
    return {"anthropic-version": API_VERSION, **credentials}


def request_body(endpoint: ModelEndpoint, prompt: Prompt, output_limit: int) -> bytes:
    """The request as JSON. A schema becomes the input of the one tool that must be used."""
    body: dict[str, object] = {
        "model": endpoint.model,
        "max_tokens": output_limit,
        "stream": True,
        "system": [
            {
                "type": "text",
                "text": system_text(endpoint, prompt),
                "cache_control": {"type": "ephemeral"},
            }
        ],
        "messages": [{"role": "user", "content": _user_content(endpoint, prompt)}],
    }
    if prompt.schema is not None and endpoint.structured == "json_schema":
        body["tools"] = [
            {
                "name": prompt.schema.name,
                "description": "Gives the answer. Use it exactly once.",
                "input_schema": msgspec.Raw(prompt.schema.json),
            }
        ]
        body["tool_choice"] = {
            "type": "tool",
            "name": prompt.schema.name,
            "disable_parallel_tool_use": True,
        }
    return msgspec.json.encode(body)


class AnthropicStream:
    """Reads Messages events; the end is `message_stop`.

    With `from_tool` the answer is the tool's input alone: words beside it are never read (K5a).
    """

    def __init__(self, *, from_tool: bool) -> None:
        self.answer = Answer()
        self._from_tool = from_tool
        self._tools = 0
        self._count = AnthropicCount()

    def feed(self, event: str, data: str) -> bool:
        data = data.strip()
        if not data or self.answer.done or event == "ping":
            return False
        try:
            message = _EVENT.decode(data)
        except UNDECODABLE as error:
            raise BadStream(f"an event is not one of the Messages stream: {error}") from None
        match message.type:
            case "message_start" if message.message is not None:
                self.answer.model = message.message.model
                self._report(message.message.usage, final=False)
            case "content_block_start" if message.content_block is not None:
                if message.content_block.type == "tool_use":
                    # Two answers must not run together into one.
                    self._take("\n" if self._tools else "", wanted=self._from_tool)
                    self._tools += 1
            case "content_block_delta" if message.delta is not None:
                return self._grow(message.delta)
            case "message_delta" if message.delta is not None:
                self.answer.finish = message.delta.stop_reason or self.answer.finish
                self._report(message.usage, final=True)
            case "message_stop":
                self.answer.ending = _ENDINGS.get(self.answer.finish or "", Ending.TRUNCATED)
                self.answer.done = True
            case "error":
                words = ProviderError(message="an error without words")
                self.answer.error = read_error(data) or words
                self.answer.done = True
            case _:
                # Kinds that are not known yet are to be passed over, says the provider.
                pass
        return False

    def _grow(self, delta: "_Delta") -> bool:
        text, tool = delta.text or "", delta.partial_json or ""
        self._take(text, wanted=not self._from_tool)
        self._take(tool, wanted=self._from_tool)
        return bool(text or tool or delta.thinking)

    def _take(self, text: str, *, wanted: bool) -> None:
        if wanted and text:
            self.answer.add(text)

    def _report(self, usage: msgspec.Raw, *, final: bool) -> None:
        self._count.read(usage, final=final)
        self.answer.report(self._count.usage())


def _user_content(endpoint: ModelEndpoint, prompt: Prompt) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = []
    if prompt.image is not None and endpoint.takes_images:
        source = {
            "type": "base64",
            "media_type": "image/png",
            "data": base64.b64encode(prompt.image).decode(),
        }
        content.append({"type": "image", "source": source})
    content.extend({"type": "text", "text": part} for part in prompt.parts)
    return content


class _Block(msgspec.Struct):
    type: str = ""


class _Delta(msgspec.Struct):
    text: str | None = None
    partial_json: str | None = None
    thinking: str | None = None
    stop_reason: str | None = None


class _Message(msgspec.Struct):
    model: str | None = None
    usage: msgspec.Raw = msgspec.Raw()


class _Event(msgspec.Struct):
    type: str = ""
    message: _Message | None = None
    content_block: _Block | None = None
    delta: _Delta | None = None
    usage: msgspec.Raw = msgspec.Raw()


_EVENT = msgspec.json.Decoder(_Event)

# A reason that is not listed may mean that the answer was cut, so it counts as cut.
_ENDINGS = {
    "end_turn": Ending.WHOLE,
    "tool_use": Ending.WHOLE,
    "stop_sequence": Ending.WHOLE,
    "max_tokens": Ending.TRUNCATED,
    "refusal": Ending.REFUSED,
}
