"""The verdicts on a turn, by name, and what a game's body has to say for them.

Each is `unknown` where evidence is missing.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

Alignment = Literal["aligned", "misaligned", "unknown"]
Continuity = Literal["cleared", "continued", "changed", "unknown"]
Effectiveness = Literal["effective", "ineffective", "not_applicable", "unknown"]
Appropriateness = Literal["appropriate", "inappropriate", "unknown"]
Recovery = Literal["recovered", "repeated", "changed_without_success", "not_applicable", "unknown"]
Proof = Literal["verified", "refuted", "unknown"]
Narration = Literal[
    "played",
    "suppressed",
    "refused",
    "unspoken",
    "failed",
    "attempted_no_receipt",
    "model_silent",
    "no_attempt",
]


Coordinate = Annotated[int, Meta(ge=-(2**53) + 1, le=2**53 - 1)]
"""A column or a row: what every JSON reader can hold exactly."""


class Position(Struct, frozen=True, rename="camel"):
    """A tile on a map."""

    map_id: str
    x: Coordinate
    y: Coordinate


class Target(Struct, frozen=True, rename="camel"):
    """A tile of the map that the player is on."""

    x: Coordinate
    y: Coordinate


class Movement(Struct, frozen=True, kw_only=True, rename="camel"):
    """Where the player stood around an action, and whether the action was meant to move it."""

    attempted: bool = False
    start: Position | None = None
    target: Target | None = None
    end: Position | None = None
    effectiveness: Effectiveness = "unknown"


class Judgement(Struct, frozen=True, kw_only=True):
    """What only the game's body can tell of a turn. The defaults say that nothing is known."""

    intent_to_action: Alignment = "unknown"
    goal_to_action: Alignment = "unknown"
    scene_action: Appropriateness = "unknown"
    movement: Movement = Movement()
    decision_ms: int | None = None
    action_ms: int | None = None
    stalled: bool = False
    """Whether the turn carries the signal that the player does not get on."""
    turns_since_new_tile: int = 0
    repeated_turns: int = 0
    recurring_turns: int = 0
    action_kind: str | None = None
    """The kind of action as recorded, retired ones included; None: there was no action."""
    proof: Proof | None = None
    """What evidence says of the effect; None: there was no action, or this game's cannot say."""
    action: str = ""
    """The action in a few words for people; empty for none."""
    place: str | None = None
    """The map or land that the player was in last, as far as the turn saw it."""


def milliseconds(began: datetime | None, settled: datetime | None) -> int | None:
    """The time between two instants; None when one is missing or the clock ran backwards."""
    if began is None or settled is None or settled < began:
        return None
    return (settled - began) // _MILLISECOND


_MILLISECOND: Final = timedelta(milliseconds=1)
