"""Calling a motor's tools: what is asked, what comes back, and when an answer is a failure."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

import msgspec

from bodies.minecraft.motor.motor import MotorTrouble
from kernel.undecodable import UNDECODABLE

ANSWER_CHARACTERS = 1 << 20
SHOWN = 240
"""Characters of a motor's own words in an error."""

T = TypeVar("T")


class ToolAnswer(msgspec.Struct, frozen=True):
    """A tool's result as MCP carries it. `structured` is plain JSON data."""

    text: str
    structured: Any = None
    is_error: bool = False


class Tools(Protocol):
    """The tools of one running motor."""

    async def call(self, name: str, arguments: dict[str, Any], seconds: float) -> ToolAnswer:
        """Call one. Raises MotorTrouble (no answer in time, a protocol error) and MotorLost."""
        ...


def read_answer(tool: str, answer: ToolAnswer, kind: type[T]) -> T:
    """The answer as this wire type.

    Raises MotorTrouble for `isError`, for `ok: false` in text or structured content, and for what
    is not this type. The text counts where it is JSON, else the structured content.
    """
    if answer.is_error:
        raise MotorTrouble(f"{tool} failed: {words(answer)}")
    told = _object(answer.text)
    for part in (told, answer.structured):
        if isinstance(part, dict) and part.get("ok") is False:  # pyright: ignore[reportUnknownMemberType]
            raise MotorTrouble(f"{tool} failed: {words(answer)}")
    value = told if told is not None else answer.structured
    if not isinstance(value, dict):
        raise MotorTrouble(f"{tool} gave no JSON object: {words(answer)}")
    try:
        if told is None:
            # The MCP library lets infinities pass, which no journal could hold.
            return msgspec.json.decode(msgspec.json.encode(value), type=kind)
        return msgspec.convert(value, kind)
    except (*UNDECODABLE, ValueError) as wrong:
        raise MotorTrouble(f"{tool} answered what cannot be read: {wrong}"[:300]) from None


def words(answer: ToolAnswer) -> str:
    """What a motor says about a failure, on one line."""
    told = _object(answer.text)
    if isinstance(told, dict):
        for name in ("error", "message", "detail", "reason"):
            said = told.get(name)
            if isinstance(said, dict):
                said = said.get("message")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            if isinstance(said, str) and said:
                return one_line(said)
    return one_line(answer.text) or "without a word"


def one_line(text: str) -> str:
    """A motor's words, cut and without line ends or control characters."""
    plain = "".join(c if c.isprintable() else " " for c in text[: 2 * SHOWN])
    return " ".join(plain.split())[:SHOWN]


def _object(text: str) -> dict[str, Any] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        return _decoder.decode(text)
    except UNDECODABLE:
        return None


_decoder = msgspec.json.Decoder(dict[str, Any])
