"""The Minecraft player: one decision from one STATE block.

It remembers nothing by itself: what it knows of earlier turns stands in its notes, which the prompt
shows again. Equal prompts and seeds give equal decisions.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import msgspec
from msgspec.structs import replace

from bodies.practice.model.players.minecraft import errands, shelter, talking
from bodies.practice.model.players.minecraft.diary import Diary, read_diary
from bodies.practice.model.players.minecraft.moves import Action, Move, is_allowed, wait
from bodies.practice.model.players.minecraft.surroundings import Surroundings, read_surroundings

LONGEST_INTENT = 400
LONGEST_THOUGHT = 1_000
STALLED = 3
"""After so many turns in which nothing came of anything, the player goes somewhere else."""


class Answer(Action, frozen=True, kw_only=True):
    """The whole flat answer."""

    monologue: str
    intent: str
    notes: str | None = None
    objective: str | None = None


def play(state: bytes, _told: str, seed: int) -> bytes | None:
    """The decision as JSON; None for a state that cannot be read."""
    seen = read_surroundings(state)
    if seen is None:
        return None
    diary = _remembered(seen)
    move = _first_that_may_work(seen, diary, seed)
    if move.action.action == "chat":
        diary = replace(diary, spoke=seen.turn)
    if move.action.action == "build":
        diary = replace(diary, built=seen.turn)
    answer = Answer(
        monologue=move.thought[:LONGEST_THOUGHT],
        intent=move.intent[:LONGEST_INTENT],
        notes=diary.written() or None,
        objective=_objective(seen),
        **msgspec.structs.asdict(move.action),
    )
    return msgspec.json.encode(answer)


def _first_that_may_work(seen: Surroundings, diary: Diary, seed: int) -> Move:
    luck = Random(f"{seed}:{seen.turn}")
    moves = _moves(seen, diary, luck)
    usable = (move for move in moves if is_allowed(move) and move.told not in diary.in_vain)
    return next(usable, wait("Nothing that I know of helps now; I wait."))


def _moves(seen: Surroundings, diary: Diary, luck: Random) -> Iterator[Move]:
    if seen.phase != "active" or seen.feet is None or seen.health == 0:
        yield wait("I cannot do anything just now.")
        return
    yield from talking.answer_people(seen)
    yield from talking.answer_players(seen, diary)
    if shelter.needs_shelter(seen, diary.since("hurt", seen.turn)):
        yield from shelter.take_shelter(seen)
    if seen.stalled_for_turns >= STALLED:
        yield from errands.explore(seen, diary, luck)
    yield from errands.craft_what_is_possible(seen)
    yield from errands.keep_company(seen, luck)
    yield from errands.build_a_little(seen, diary)
    yield from errands.collect(seen)
    yield from errands.explore(seen, diary, luck)


def _remembered(seen: Surroundings) -> Diary:
    """The diary, with what the last action came to and what happened since."""
    diary = read_diary(seen.notes)
    if diary.home is None and seen.feet is not None:
        diary = replace(diary, home=seen.feet)
    if "you were hurt" in (seen.event or ""):
        diary = replace(diary, hurt=seen.turn)
    last = seen.last
    if last is None or not last.action or (last.effect or "").startswith("verified"):
        return diary
    return diary if last.action == "wait" else diary.failed(last.action)


def _objective(seen: Surroundings) -> str:
    if errands.has_pickaxe(seen):
        return "Gather stone and coal, build a little, and keep out of the night."
    return "Gather wood and make a wooden pickaxe."
