"""Talking: a short answer in the chat to people, and to players who speak to this one."""

from __future__ import annotations

from collections.abc import Iterator

from bodies.practice.model.players.minecraft.diary import Diary
from bodies.practice.model.players.minecraft.moves import Move, say
from bodies.practice.model.players.minecraft.surroundings import Surroundings
from bodies.practice.model.players.replies import answer, name

QUIET_TURNS = 6
"""Turns between two answers to players, so that two who answer everything do not talk for ever."""


def answer_people(seen: Surroundings) -> Iterator[Move]:
    """One line to everybody who sent a message."""
    if seen.messages:
        names = ", ".join(dict.fromkeys(name(each.speaker) for each in seen.messages))
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
        text = f"{name(line.player)}: {_answer(line.text, seen)}"
        yield say(text, f"{name(line.player)} spoke to me.")


def _answer(text: str, seen: Surroundings) -> str:
    place = f"at {seen.feet}" if seen.feet else "not sure where I am"
    return answer(text, place, (seen.objective or "look around")[:80])
