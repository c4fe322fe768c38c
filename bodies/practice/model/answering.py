"""Answering: the text that answers a question, from whichever player knows the game."""

import msgspec

from bodies.practice.model.asking import Asked
from bodies.practice.model.players import fitting, voice
from bodies.practice.model.players.registry import player_of

WORDS = "I am the practice model: I play by simple rules and am no language model."


def content(asked: Asked, seed: int) -> str:
    """A decision for a known game, words for the voice, anything valid for another schema.

    Never raises for what a prompt says.
    """
    if asked.state is not None:
        play = player_of(asked.state)
        decision = play(asked.state, asked.told, seed) if play else None
        if decision is not None:
            return decision.decode()
    if asked.schema is None:
        return WORDS
    if voice.wanted(asked.schema):
        return voice.said(asked.told).decode()
    return msgspec.json.encode(fitting.fit(asked.schema, WORDS)).decode()


def outside_the_catalogue(content: str) -> str:
    """The same decision with an action that no game has."""
    try:
        decision = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeEncodeError):
        decision = dict[str, msgspec.Raw]()
    invented = msgspec.Raw(b'"practise_juggling"')
    return msgspec.json.encode({**decision, "action": invented}).decode()
