"""The voice: words that a player says aloud, made from what the prompt tells of the turn."""

from __future__ import annotations

import re

import msgspec

from bodies.practice.model.wire import JsonSchema

LONGEST = 300
_WISH = "What you would like to say: "
_RECENT = "You said recently: "
_HAPPENED = "What happened: "
_SAID = re.compile(r"^(?P<speaker>.{1,64}?) said: ", re.MULTILINE)


def wanted(schema: JsonSchema) -> bool:
    """Whether a voice is asked for its words."""
    return set(schema.properties) == {"say"}


def said(told: str) -> bytes:
    """`{"say": …}`: the player's own wish, else thanks to who spoke, else the event, once."""
    lines = told.split("\n")
    recent = {line.removeprefix(_RECENT) for line in lines if line.startswith(_RECENT)}
    speaker = _SAID.search(told)
    candidates = (
        _after(lines, _WISH, "nothing"),
        f"Thank you for talking to me, {speaker['speaker']}." if speaker else None,
        _after(lines, _HAPPENED, "nothing yet"),
    )
    words = next((c[:LONGEST] for c in candidates if c and c[:LONGEST] not in recent), None)
    return msgspec.json.encode({"say": words})


def _after(lines: list[str], label: str, nothing: str) -> str | None:
    found = next((line.removeprefix(label) for line in lines if line.startswith(label)), nothing)
    return None if found == nothing else found
