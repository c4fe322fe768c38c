"""A model in memory: answers from a list, then the same last answer for ever."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
import trio

from kernel.model.errors import FailureKind, ModelFailure
from kernel.model.request import ModelEndpoint, Prompt, Secret
from kernel.model.usage import Usage

ENDPOINT = ModelEndpoint(
    name="toy", provider="openai", base_url="http://127.0.0.1:1", model="toy-1", api_key=Secret("")
)
REPORTED = Usage(input=100, output=10)


@dataclass(frozen=True)
class Said:
    object: bytes | None
    usage: Usage | None = REPORTED
    first_token_seconds: float = 0.01


def answer(usage: Usage | None = REPORTED, /, **fields: Any) -> Said:
    return Said(msgspec.json.encode(fields), usage)


def failure(kind: FailureKind = FailureKind.SERVER, **fields: Any) -> ModelFailure:
    return ModelFailure(kind=kind, message=f"{kind.value} it is", **fields)


@dataclass
class ScriptedModel:
    """`script` items are answers, failures, or functions that wait and give one."""

    script: list[Any] = field(default_factory=list)
    seconds: float = 1.0
    prompts: list[Prompt] = field(default_factory=list)
    limits: list[int] = field(default_factory=list)
    at: list[float] = field(default_factory=list)
    withdrawn: int = 0

    def __call__(
        self, endpoint: ModelEndpoint, prompt: Prompt, output_limit: int, scope: trio.CancelScope
    ) -> Awaitable[Said | ModelFailure]:
        return self._answer(prompt, output_limit, scope)

    async def _answer(
        self, prompt: Prompt, output_limit: int, scope: trio.CancelScope
    ) -> Said | ModelFailure:
        self.prompts.append(prompt)
        self.limits.append(output_limit)
        self.at.append(trio.current_time())
        nth = len(self.prompts) - 1
        item = self.script[min(nth, len(self.script) - 1)] if self.script else answer()
        with scope:
            await trio.sleep(self.seconds)
            return await item() if callable(item) else item
        self.withdrawn += 1
        return failure(FailureKind.CANCELLED)


Waiting = Callable[[], Awaitable[Said]]
