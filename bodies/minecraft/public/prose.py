"""Reading what the public motor writes for people: places, counts, chat, and words of failure.

Its sentences are no protocol and change with its versions, so what is not recognized is nothing
known, never a guess; and what is recognized is a report, never a proof.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bodies.minecraft import wire

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_AXIS = r"\s*,?\s*(?:{axis}\s*[:=]\s*)?" + _NUMBER
_TRIPLE = r"\(?" + "".join(_AXIS.replace("{axis}", axis) for axis in "xyz")
_OWN_PLACE = re.compile(
    rf"(?:position|coordinates|location|you are at|standing at)\s*(?:is|:|=)?\s*{_TRIPLE}", re.I
)
_PLAYER_PLACE = re.compile(
    rf"^\W*(?:player\s+)?([A-Za-z0-9_]{{1,16}})\s*(?:\(player\))?\s*(?:at|:|is at)\s*{_TRIPLE}",
    re.I | re.M,
)
_BLOCK_PLACE = re.compile(rf"^\W*([a-z][a-z0-9_]{{1,63}})\s+(?:at|:)\s*{_TRIPLE}", re.M)
_HEALTH = re.compile(rf"\bhealth\b\W{{0,4}}{_NUMBER}", re.I)
_FOOD = re.compile(rf"\b(?:food|hunger)\b\W{{0,4}}{_NUMBER}", re.I)
_ITEM = re.compile(
    r"^\W*(?:(?P<first>\d+)\s*[x×]?\s+(?P<named>[a-z][a-z0-9_]{1,63})"
    r"|(?P<name>[a-z][a-z0-9_]{1,63})\s*(?:[:x×(]|\s)\s*[x×]?\s*(?P<count>\d+))\)?\s*$",
    re.M,
)
_CHAT = re.compile(
    r"^(?:\[[^\]]*\]\s*)*(?:<(?P<player>[A-Za-z0-9_]{1,16})>|(?P<speaker>[A-Za-z0-9_]{1,16}):)"
    r"\s+(?P<text>.+)$",
    re.M,
)
_FAILURE = re.compile(
    r"\b(?:error|fail(?:ed|ure)?|cannot|can't|could(?: not|n't)|unable|invalid|refused|denied"
    r"|not (?:found|connected|available|enough|possible)|no (?:bot|path|such)|do(?:es)?n't"
    r"|timed? ?out|kicked|disconnected)\b",
    re.I,
)
_NO_BOT = re.compile(
    r"\b(?:no (?:active |connected )?bots?|not (?:connected|in (?:the|a) game|joined|spawned)"
    r"|bot (?:is )?(?:not found|gone|disconnected)|disconnected|kicked)\b",
    re.I,
)
_SECTION = re.compile(r"^\W*(?:nearby\s+)?players?\W*:?\s*$", re.I | re.M)


@dataclass(frozen=True, slots=True)
class Look:
    """What one look around told; None is not recognized."""

    place: wire.Point | None
    health: float | None
    food: float | None
    players: tuple[tuple[str, wire.Point], ...]
    blocks: tuple[tuple[str, wire.BlockPosition], ...]


def read_look(text: str) -> Look:
    """Read what `lookAround` wrote."""
    own = _OWN_PLACE.search(text)
    health, food = _HEALTH.search(text), _FOOD.search(text)
    section = _SECTION.search(text)
    people = _section(text, section.end()) if section else _lines_about_players(text)
    return Look(
        place=_point(own.groups()) if own else None,
        health=float(health[1]) if health else None,
        food=float(food[1]) if food else None,
        players=tuple(
            (found[1], _point(found.groups()[1:])) for found in _PLAYER_PLACE.finditer(people)
        ),
        blocks=tuple(
            (found[1], at)
            for found in _BLOCK_PLACE.finditer(text)
            if (at := _block(found.groups()[1:])) is not None
        ),
    )


def read_inventory(text: str) -> dict[str, int]:
    """Items and their counts, stacks of one item added up."""
    counts: dict[str, int] = {}
    for found in _ITEM.finditer(text):
        name = found["named"] or found["name"]
        counts[name] = counts.get(name, 0) + int(found["first"] or found["count"])
    return counts


def read_chat(text: str) -> tuple[tuple[str, str], ...]:
    """Speakers and what they said, as they were written, oldest first."""
    said = _CHAT.finditer(text)
    return tuple(
        ((line["player"] or line["speaker"]), line["text"].strip()[: wire.CHAT_CHARACTERS])
        for line in said
    )


def tells_failure(text: str) -> bool:
    """Whether a motor's words speak of a failure."""
    return _FAILURE.search(text) is not None


def tells_no_bot(text: str) -> bool:
    """Whether a motor's words say that there is no bot in the game."""
    return _NO_BOT.search(text) is not None


def _section(text: str, start: int) -> str:
    """The lines from here to the next empty one."""
    return text[start:].lstrip("\n").partition("\n\n")[0]


def _lines_about_players(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if "player" in line.lower())


def _point(numbers: tuple[str, ...]) -> wire.Point:
    x, y, z = map(float, numbers)
    return wire.Point(x, y, z)


def _block(numbers: tuple[str, ...]) -> wire.BlockPosition | None:
    values = [float(number) for number in numbers]
    if any(not value.is_integer() or abs(value) > 2**31 for value in values):
        return None
    x, y, z = map(int, values)
    return wire.BlockPosition(x, y, z)
