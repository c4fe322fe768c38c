"""Reading what the public motor writes for people: where the bot is, what it carries, who spoke.

Its sentences are no protocol and change with its versions (these are those of 0.2.21), so what is
not recognized is nothing known, never a guess; and what is recognized is a report, never a proof.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from bodies.minecraft import wire

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_PLACE = re.compile(r"^You are at coordinates X:(-?\d+), Y:(-?\d+), Z:(-?\d+)\.", re.M)
_HEALTH = re.compile(rf"^Your health is {_NUMBER}/20 and hunger is {_NUMBER}/20\.", re.M)
_ENTITY = re.compile(r"^- ([A-Za-z0-9_]{1,16}) \(\d+ blocks? away\)$", re.M)
_ITEM = re.compile(r"^- ([a-z][a-z0-9_]*): (\d+)$", re.M)
_CARRIES = re.compile(r"^Your inventory (?:is empty\.|contains \d+ different items:)$", re.M)
_MORE_ITEMS = re.compile(r"^\.\.\. and \d+ other item types$", re.M)
_STACKS = re.compile(r"it contains: (.+)\.\s*$")
_STACK = re.compile(r"(\d+) ([^,]+)")
_HISTORY = "=== Chat History ==="
_LINE = re.compile(
    r"^(?P<at>\[[^\]]*\]) (?:"
    r"(?:\[Whisper\] )?<(?P<speaker>[A-Za-z0-9_]{1,16})>: (?P<text>.+)"
    r"|\[System\] (?P<who>[A-Za-z0-9_]{1,16}) (?P<moved>joined|left) the game\.?)$",
    re.M,
)
_FAILURE = re.compile(
    r"^(?:Skill execution )?(?:error|failed|mistake)\b"
    r"|\b(?:cannot|can't|couldn't|don't have|do not have|failed to|had trouble|not enough room"
    r"|weren't successful|in the way|no block to place|already a block|is too (?:far|long)"
    r"|timed out|stopped following|decided to do something else)\b",
    re.I | re.M,
)
_NO_BOT = re.compile(r"\bNo active bot\b")


@dataclass(frozen=True, slots=True)
class Look:
    """What one look around told; None is not recognized."""

    place: wire.Point | None
    """The middle of the block that the bot stands in: whole blocks are all that is told."""
    health: float | None
    food: float | None
    entities: tuple[str, ...]
    """Names of what moves near, players among them."""
    carried: dict[str, int] | None
    all_carried: bool
    """Whether nothing else is carried; only the ten largest counts are listed."""


@dataclass(frozen=True, slots=True)
class ChatLine:
    """A line of the chat, or that somebody came or left."""

    at: str
    """The clock as it was written, to tell equal lines apart."""
    player: str
    kind: Literal["chat", "player_join", "player_leave"]
    text: str | None = None


def read_look(text: str) -> Look:
    """Read what `lookAround` wrote."""
    place, health = _PLACE.search(text), _HEALTH.search(text)
    carries = _CARRIES.search(text)
    listed = {item: int(count) for item, count in _ITEM.findall(text)}
    return Look(
        place=_middle(place.groups()) if place else None,
        health=float(health[1]) if health else None,
        food=float(health[2]) if health else None,
        entities=tuple(_ENTITY.findall(text)),
        carried=listed if carries else None,
        all_carried=carries is not None and _MORE_ITEMS.search(text) is None,
    )


def read_stacks(text: str) -> dict[str, int]:
    """What `openInventory` wrote, by the names that people read, with underscores for spaces."""
    counts: dict[str, int] = {}
    found = _STACKS.search(text)
    for count, shown in _STACK.findall(found[1]) if found else ():
        name = shown.strip().replace(" ", "_")
        counts[name] = counts.get(name, 0) + int(count)
    return counts


def read_chat(text: str) -> tuple[ChatLine, ...]:
    """The lines of `readChat`, oldest first. The server's copies of what players said are left."""
    lines: list[ChatLine] = []
    for found in _LINE.finditer(text):
        if found["speaker"]:
            said = found["text"].strip()[: wire.CHAT_CHARACTERS]
            lines.append(ChatLine(found["at"], found["speaker"], "chat", said))
        else:
            kind = "player_join" if found["moved"] == "joined" else "player_leave"
            lines.append(ChatLine(found["at"], found["who"], kind))
    return tuple(lines)


def tells_history(text: str) -> bool:
    """Whether this is a chat history, which only a bot in the game has."""
    return text.startswith(_HISTORY)


def tells_failure(text: str) -> bool:
    """Whether the motor's words speak of a failure."""
    return _FAILURE.search(text) is not None


def tells_no_bot(text: str) -> bool:
    """Whether the motor's words say that there is no bot in the game."""
    return _NO_BOT.search(text) is not None


def _middle(numbers: tuple[str, ...]) -> wire.Point:
    x, y, z = map(int, numbers)
    return wire.Point(x + 0.5, y, z + 0.5)
