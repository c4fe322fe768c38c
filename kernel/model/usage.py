"""How many tokens a call took, by each provider's own way of counting (K28)."""

from typing import Any, cast

import msgspec

from kernel.undecodable import UNDECODABLE

BILLION = 1_000_000_000


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of one call, each counted once.

    `input` includes `cache_read` and `cache_write`; `output` includes `reasoning`. `complete` is
    False for what a call had reported before it failed, and for a report that cannot be whole.
    """

    input: int
    output: int
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0
    complete: bool = True

    @property
    def tokens(self) -> int:
        return self.input + self.output


NOTHING_USED = Usage(input=0, output=0)
"""The whole report of a request that never left."""


def openai_usage(report: msgspec.Raw) -> Usage | None:
    """Chat Completions: cached tokens stand inside `prompt_tokens`, reasoning inside the output.

    A server that counts reasoning beside `completion_tokens` shows it in `total_tokens`; the
    larger of the two is the output. None for null, {} and anything without a usable count.
    """
    fields = _fields(report)
    prompt = _count(fields, "prompt_tokens")
    completion = _count(fields, "completion_tokens")
    if prompt is None and completion is None:
        return None
    total = _count(fields, "total_tokens") or 0
    inside = _inner(fields, "prompt_tokens_details")
    beside = _inner(fields, "completion_tokens_details")
    input_tokens = prompt or 0
    output = max(completion or 0, total - input_tokens if prompt is not None else 0)
    read = min(_count(inside, "cached_tokens") or 0, input_tokens)
    return Usage(
        input=input_tokens,
        output=output,
        cache_read=read,
        cache_write=min(_count(inside, "cache_write_tokens") or 0, input_tokens - read),
        reasoning=min(_count(beside, "reasoning_tokens") or 0, output),
        # No prompt is empty: a zero is a server that does not count.
        complete=completion is not None and input_tokens > 0,
    )


class AnthropicCount:
    """Messages: cache tokens stand beside `input_tokens`; later reports replace earlier ones."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}
        self._final = False

    def read(self, report: msgspec.Raw, *, final: bool) -> None:
        """Takes one report; `final` is the one that comes with the stop reason."""
        fields = _fields(report)
        for name in (
            "input_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
            "output_tokens",
        ):
            count = _count(fields, name)
            if count is not None:
                self._seen[name] = count
        if final and _count(fields, "output_tokens") is not None:
            self._final = True

    def usage(self) -> Usage | None:
        if not self._seen:
            return None
        read = self._seen.get("cache_read_input_tokens", 0)
        write = self._seen.get("cache_creation_input_tokens", 0)
        whole = self._seen.get("input_tokens", 0) + read + write
        return Usage(
            input=whole,
            output=self._seen.get("output_tokens", 0),
            cache_read=read,
            cache_write=write,
            complete=self._final and "input_tokens" in self._seen and whole > 0,
        )


def _fields(report: msgspec.Raw) -> dict[str, Any]:
    if not bytes(report):
        return {}
    try:
        value: object = msgspec.json.decode(report)
    except UNDECODABLE:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _inner(fields: dict[str, Any], name: str) -> dict[str, Any]:
    value = fields.get(name)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _count(fields: dict[str, Any], name: str) -> int | None:
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= BILLION:
        return None
    return value
