"""The Pokémon player: one decision from one STATE block.

It remembers nothing by itself: what it knows of earlier turns stands in its notes, which the prompt
shows again. Equal prompts and seeds give equal decisions.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import msgspec

from bodies.practice.model.players.pokemon import screens, talking
from bodies.practice.model.players.pokemon.exploring import Outing, explore, pushes
from bodies.practice.model.players.pokemon.ground import ground_of
from bodies.practice.model.players.pokemon.moves import Action, Move, wait
from bodies.practice.model.players.pokemon.notebook import Notebook, read_notebook, tile_item
from bodies.practice.model.players.pokemon.screen import (
    Screen,
    barred,
    read_screen,
    refused_walk,
)

LONGEST_INTENT = 200
LONGEST_THOUGHT = 600


class Answer(Action, frozen=True, kw_only=True):
    """The whole flat answer."""

    monologue: str
    intent: str
    notes: str | None = None
    objective: str | None = None
    reply: str | None = None
    speak: str | None = None


def play(state: bytes, told: str, seed: int) -> bytes | None:
    """The decision as JSON; None for a state that cannot be read. `told` shows the last turns."""
    screen = read_screen(state)
    if screen is None:
        return None
    notebook = _remembered(screen)
    move = _first_that_may_work(screen, notebook, told, seed)
    if screen.position is not None:
        for label, item in move.marks:
            notebook = notebook.noted(screen.position.map_id, label, item)
    answer = Answer(
        monologue=move.thought[:LONGEST_THOUGHT],
        intent=move.intent[:LONGEST_INTENT],
        notes=notebook.written() or None,
        objective=_objective(screen),
        reply=talking.reply(screen, move),
        speak=talking.remark(screen),
        **msgspec.structs.asdict(move.action),
    )
    return msgspec.json.encode(answer)


def _first_that_may_work(screen: Screen, notebook: Notebook, told: str, seed: int) -> Move:
    in_vain = barred(screen)
    luck = Random(f"{seed}:{screen.turn}")
    moves = _moves(screen, notebook, told, luck)
    patience = wait(screens.BRIEF + screen.turn % 8, "Nothing that I know of helps; I wait.")
    return next((move for move in moves if move.told not in in_vain), patience)


def _moves(screen: Screen, notebook: Notebook, told: str, luck: Random) -> Iterator[Move]:
    if screen.mode != "overworld" or not screen.input_ready:
        rule = screens.SCREENS.get(screen.mode, screens.nothing_to_do)
        yield from rule(screen, told, luck)
        return
    ground, at = ground_of(screen), screen.position
    if ground is None or at is None:
        yield from pushes(screen, luck)
        return
    yield from explore(Outing(screen, at.map_id, at.facing, ground, notebook, told, luck))


def _remembered(screen: Screen) -> Notebook:
    """The notes, with where the player stands now and what was refused last."""
    notebook = read_notebook(screen.notes)
    at = screen.position
    if at is None or screen.mode != "overworld":
        return notebook
    shut = refused_walk(screen)
    if shut is not None:
        notebook = notebook.noted(at.map_id, "no way to", tile_item(shut))
    return notebook.noted(at.map_id, "stood on", tile_item(at.tile))


def _objective(screen: Screen) -> str | None:
    """One for each map; another one when the first leads nowhere."""
    at, signals = screen.position, screen.signals
    if signals.objective_recovery:
        return None
    if at is None:
        return screen.objective or "Get through this and look around."
    if signals.recurring_for_turns and signals.objective_for_turns:
        return f"Leave {at.map_id[:80]} for a place that I do not know."
    return f"Explore {at.map_id[:80]}: meet people, read signs, find every way out."
