"""Asking: what a request is about, however the client asked for structured output."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from bodies.practice.model.wire import ChatRequest, JsonSchema

STATE_FENCE = "```json STATE"


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: the stable prefix, what is new, the wanted shape, and the state if any.

    `state` is the JSON of the last STATE block: people and screens may say anything before it.
    """

    system: str
    told: str
    schema: JsonSchema | None
    state: bytes | None


def asked(request: ChatRequest) -> Asked:
    system = "\n".join(t for m in request.messages if m.role == "system" for t in m.texts)
    last = next((m for m in reversed(request.messages) if m.role == "user"), None)
    told = "\n".join(last.texts) if last else ""
    given = request.response_format and request.response_format.json_schema
    schema = given.schema if given else _schema_in_words(system)
    return Asked(system, told, schema, _last_state(told))


def _schema_in_words(system: str) -> JsonSchema | None:
    """The schema that stands as the last line of a prompt, when the client cannot send it apart."""
    _, _, last = system.rstrip().rpartition("\n")
    try:
        return msgspec.json.decode(last, type=JsonSchema) if last.startswith("{") else None
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return None


def _last_state(told: str) -> bytes | None:
    before, fence, rest = told.rpartition(f"{STATE_FENCE}\n")
    if not fence or (before and not before.endswith("\n")):
        return None
    return rest.partition("\n")[0].encode(errors="replace")
