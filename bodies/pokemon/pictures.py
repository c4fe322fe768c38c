"""Which turns are worth keeping a picture of."""

from __future__ import annotations

from bodies.pokemon.results import PokemonTurn
from bodies.pokemon.sight import View

EVERY = 25


def reasons_to_keep(
    turn: PokemonTurn, last: View | None, now: View | None, *, objective_changed: bool
) -> tuple[str, ...]:
    """Why this turn's picture is kept; none: it is not. `last` and `now` end the two last turns."""
    reasons: list[str] = []
    if turn.number == 0:
        reasons.append("first_turn")
    elif turn.number % EVERY == 0:
        reasons.append("interval")
    if last is not None and now is not None:
        if last.kinds != now.kinds:
            reasons.append("scene")
        if last.at and now.at and last.at.map_id != now.at.map_id:
            reasons.append("map")
    if objective_changed:
        reasons.append("objective")
    if turn.speech.wanted or turn.speech.speak or turn.speech.suppressed:
        reasons.append("speech")
    if turn.outcome != "accepted":
        reasons.append("not_accepted")
    return tuple(reasons)
