"""Talking: friendly, short answers to people, and a remark now and then."""

from __future__ import annotations

import re

from bodies.practice.model.players.pokemon.moves import Move
from bodies.practice.model.players.pokemon.screen import Heard, Screen

QUIET_TURNS = 5
"""So many turns pass between two remarks."""
LONGEST_REPLY = 600


def reply(screen: Screen, move: Move) -> str | None:
    """An answer to everybody who spoke; None when nobody did."""
    if not screen.messages:
        return None
    answers = [f"{_name(heard)}: {_answer(heard.text, screen, move)}" for heard in screen.messages]
    return " ".join(answers)[:LONGEST_REPLY]


def remark(screen: Screen) -> str | None:
    """Something to say unasked; None while the last remark is recent."""
    quiet = screen.signals.turns_since_spoken
    if screen.messages or (quiet is not None and quiet < QUIET_TURNS):
        return None
    effect = (screen.last.effect if screen.last else None) or ""
    here = screen.position
    if "entered" in effect and here:
        return f"So this is {here.map_id[:60]}. Let me look around."
    return next((words for sign, words in _REMARKS if sign in effect), None)


_REMARKS = (
    ('wrote "', "That is my name from now on."),
    ("read ", "That was worth listening to."),
    ("the battle ended", "Well fought, everybody."),
    ("refused", "Not that way, then."),
)

_ABOUT_ME = "I am a practice player: I follow simple rules and am no language model."
_ANSWERS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), answer)
    for pattern, answer in (
        (r"\bwhere\b", "I am {place}."),
        (r"\b(why|what)\b.*\b(doing|next|plan|up to)\b", "My next step: {intent}"),
        (r"\b(who|what) are you\b|\b(bot|robot|ai|llm)\b|language model", _ABOUT_ME),
        (r"\b(hi|hello|hey|good (morning|day|evening))\b", "hello! It is good to have company."),
        (r"\b(thanks|thank you|well done|good job|nice|great)\b", "thank you!"),
        (r"\?\s*$", "I do not know; I only know what is on my screen."),
        (r"", "I heard you. I decide by myself, and I will keep it in mind."),
    )
)


def _answer(text: str, screen: Screen, move: Move) -> str:
    at = screen.position
    place = f"on {at.map_id[:60]}, at ({at.x},{at.y})" if at else "not in the open right now"
    answer = next(answer for pattern, answer in _ANSWERS if pattern.search(text))
    return answer.replace("{place}", place).replace("{intent}", move.intent)


def _name(heard: Heard) -> str:
    name = "".join(c for c in heard.speaker if c.isprintable()).strip()
    return name[:40] or "Friend"
