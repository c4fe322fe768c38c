"""Chat Completions, as OpenAI and every compatible server speak it."""

import base64
import hashlib
from typing import Any

import msgspec

from kernel.model.answer import Answer, BadStream, Ending
from kernel.model.errors import ProviderError, read_error
from kernel.model.request import ModelEndpoint, Prompt, system_text
from kernel.model.usage import openai_usage
from kernel.undecodable import UNDECODABLE


def url(endpoint: ModelEndpoint) -> str:
    return endpoint.base_url.rstrip("/") + "/chat/completions"


def headers(endpoint: ModelEndpoint) -> dict[str, str]:
    key = endpoint.api_key.reveal()
    return {"authorization": f"Bearer {key}"} if key else {}


def request_body(endpoint: ModelEndpoint, prompt: Prompt, output_limit: int) -> bytes:
    """The request as JSON. `output_limit` is in tokens and includes reasoning.

    Only OpenAI itself is asked in its newest words (`max_completion_tokens`, `prompt_cache_key`);
    compatible servers know `max_tokens`. OpenRouter passes a cache mark on to providers that
    want one; everywhere else the prefix, which always comes first, is cached unasked.
    """
    system: object = system_text(endpoint, prompt)
    body: dict[str, object] = {
        "model": endpoint.model,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if endpoint.host == "api.openai.com":
        body["max_completion_tokens"] = output_limit
        body["prompt_cache_key"] = hashlib.sha256(prompt.system.encode()).hexdigest()[:32]
    else:
        body["max_tokens"] = output_limit
    if endpoint.host == "openrouter.ai":
        system = [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]
    body["messages"] = [
        {"role": "system", "content": system},
        {"role": "user", "content": _user_content(endpoint, prompt)},
    ]
    if prompt.schema is not None and endpoint.structured == "json_schema":
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {
                "name": prompt.schema.name,
                "strict": True,
                "schema": msgspec.Raw(prompt.schema.json),
            },
        }
    elif prompt.schema is not None and endpoint.structured == "json_object":
        body["response_format"] = {"type": "json_object"}
    return msgspec.json.encode(body)


class OpenAIStream:
    """Reads `chat.completion.chunk` events; the end is a finish reason or `[DONE]`."""

    def __init__(self) -> None:
        self.answer = Answer()
        self._refused = False

    def feed(self, event: str, data: str) -> bool:
        data = data.strip()
        if not data or self.answer.done:
            return False
        if data == "[DONE]":
            self.answer.done = True
            if self.answer.ending is Ending.OPEN:
                self.answer.ending = Ending.REFUSED if self._refused else Ending.WHOLE
            return False
        try:
            chunk = _CHUNK.decode(data)
        except UNDECODABLE as error:
            raise BadStream(f"an event is not a completion chunk: {error}") from None
        if event == "error" or chunk.object == "error" or bytes(chunk.error) not in (b"", b"null"):
            self.answer.error = read_error(data) or ProviderError(message="an error without words")
            self.answer.done = True
            return False
        self.answer.model = chunk.model or self.answer.model
        self.answer.report(openai_usage(chunk.usage))
        moved = [self._choose(choice) for choice in chunk.choices or () if choice.index == 0]
        return any(moved)

    def _choose(self, choice: "_Choice") -> bool:
        delta = choice.delta or _Delta()
        if delta.content:
            self.answer.add(delta.content)
        if delta.refusal:
            self._refused = True
        if choice.finish_reason is not None and self.answer.ending is Ending.OPEN:
            self.answer.finish = choice.finish_reason
            ending = _ENDINGS.get(choice.finish_reason, Ending.TRUNCATED)
            refused = self._refused and ending is Ending.WHOLE
            self.answer.ending = Ending.REFUSED if refused else ending
        return bool(delta.content or delta.refusal or delta.reasoning or delta.reasoning_content)


def _user_content(endpoint: ModelEndpoint, prompt: Prompt) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = []
    if prompt.image is not None and endpoint.takes_images:
        picture = base64.b64encode(prompt.image).decode()
        content.append(
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}}
        )
    content.extend({"type": "text", "text": part} for part in prompt.parts)
    return content


class _Delta(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None


class _Choice(msgspec.Struct):
    index: int = 0
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Chunk(msgspec.Struct):
    model: str | None = None
    choices: list[_Choice] | None = None
    usage: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()
    object: str | None = None


_CHUNK = msgspec.json.Decoder(_Chunk)

# A reason that is not listed may mean that the answer was cut, so it counts as cut.
_ENDINGS = {
    "stop": Ending.WHOLE,
    "eos": Ending.WHOLE,
    "tool_calls": Ending.WHOLE,
    "function_call": Ending.WHOLE,
    "length": Ending.TRUNCATED,
    "content_filter": Ending.REFUSED,
}
