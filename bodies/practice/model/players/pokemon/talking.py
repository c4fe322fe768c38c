"""Talking: friendly, short answers to people, and a remark now and then."""

from __future__ import annotations

from bodies.practice.model.players.pokemon.moves import Move
from bodies.practice.model.players.pokemon.screen import Screen
from bodies.practice.model.players.replies import answer, name

QUIET_TURNS = 5
"""So many turns pass between two remarks."""
LONGEST_REPLY = 600


def reply(screen: Screen, move: Move) -> str | None:
    """An answer to everybody who spoke; None when nobody did."""
    if not screen.messages:
        return None
    at = screen.position
    place = f"on {at.map_id[:60]}, at ({at.x},{at.y})" if at else "not in the open right now"
    answers = (
        f"{name(heard.speaker)}: {answer(heard.text, place, move.intent)}"
        for heard in screen.messages
    )
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
