"""Talking: a short answer in the chat to people, and to players who speak to this one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bodies.practice.model.players.minecraft.diary import Diary
from bodies.practice.model.players.minecraft.moves import Move, say
from bodies.practice.model.players.minecraft.surroundings import Surroundings

QUIET_TURNS = 6
"""Turns between two answers to players, so that two who answer everything do not talk for ever."""
_ABOUT_ME = "I am a practice player: I follow simple rules and am no language model."
_ANSWERS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), answer)
    for pattern, answer in (
        (r"\bwhere\b", "I am at {place}."),
        (r"\b(why|what)\b.*\b(doing|next|plan|up to)\b", "What I am about: {objective}"),
        (r"\b(who|what) are you\b|\b(bot|robot|ai|llm)\b|language model", _ABOUT_ME),
        (r"\b(hi|hello|hey|morning|evening)\b", "Hello! It is good to have company."),
        (r"\b(thanks|thank you|well done|good job|nice|great)\b", "Thank you!"),
        (r"\?\s*$", "I do not know; I only know what I see."),
        (r"", "I heard you. I decide by myself, and I will keep it in mind."),
    )
)


def answer_people(seen: Surroundings) -> Iterator[Move]:
    """One line to everybody who sent a message."""
    if seen.messages:
        names = ", ".join(dict.fromkeys(_plain(each.speaker) for each in seen.messages))
        text = _answer(seen.messages[-1].text, seen)
        yield say(f"{names[:80]}: {text}", "Somebody wrote to me; I answer first.")


def answer_players(seen: Surroundings, diary: Diary) -> Iterator[Move]:
    """The newest line in the chat, when it is for this player or asks something."""
    since = diary.since("spoke", seen.turn)
    if not seen.chat or (since is not None and since < QUIET_TURNS):
        return
    line = seen.chat[-1]
    is_fresh = line.text in (seen.event or "")
    is_for_me = bool(seen.player) and seen.player.casefold() in line.text.casefold()
    if is_fresh and (is_for_me or line.text.rstrip().endswith("?")):
        text = f"{_plain(line.player)[:40]}: {_answer(line.text, seen)}"
        yield say(text, f"{_plain(line.player)[:40]} spoke to me.")


def _answer(text: str, seen: Surroundings) -> str:
    place = str(seen.feet) if seen.feet else "a place that I do not know"
    objective = (seen.objective or "looking around")[:120]
    answer = next(answer for pattern, answer in _ANSWERS if pattern.search(text))
    return answer.replace("{place}", place).replace("{objective}", objective)


def _plain(name: str) -> str:
    return "".join(c for c in name if c.isprintable()).strip() or "Friend"
