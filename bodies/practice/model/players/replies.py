"""Replies: what any player answers to what a person said. Nothing is obeyed; all are thanked."""

from __future__ import annotations

import re

LONGEST_NAME = 40


def answer(text: str, place: str, intent: str) -> str:
    """A short friendly answer. `place` completes "I am …"."""
    found = next(words for pattern, words in _ANSWERS if pattern.search(text))
    return found.replace("{place}", place).replace("{intent}", intent)


def name(speaker: str) -> str:
    """A speaker's name, as far as it can be written."""
    printable = "".join(c for c in speaker if c.isprintable()).strip()
    return printable[:LONGEST_NAME] or "Friend"


_ABOUT_ME = "I am a practice player: I follow simple rules and am no language model."
_ANSWERS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), words)
    for pattern, words in (
        (r"\bwhere\b", "I am {place}."),
        (r"\b(why|what)\b.*\b(doing|next|plan|up to)\b", "My next step: {intent}"),
        (r"\b(who|what) are you\b|\b(bot|robot|ai|llm)\b|language model", _ABOUT_ME),
        (r"\b(hi|hello|hey|good (morning|day|evening))\b", "hello! It is good to have company."),
        (r"\b(thanks|thank you|well done|good job|nice|great)\b", "thank you!"),
        (r"\?\s*$", "I do not know; I only know what stands before me."),
        (r"", "I heard you. I decide by myself, and I will keep it in mind."),
    )
)
