"""What the page is given: everything of a run that it shows, as one JSON document."""

from __future__ import annotations

from msgspec import Struct

from kernel.journal.evaluation.shape import Aggregate, Run, Verdicts
from kernel.journal.evaluation.spent import Spent
from kernel.journal.inspection import Passage


class Shown(Struct, frozen=True, rename="camel"):
    """What the page is given derives from this: camelCase for the browser."""


class Player(Shown, frozen=True, kw_only=True):
    """Who played, where and under what; None where the header does not say."""

    environment: str | None
    journey: str | None
    mind: str | None
    voice: str | None
    persona: str | None
    generation: int | None
    software: str | None


class ShownTurn(Shown, frozen=True, kw_only=True):
    turn: int
    at: str | None
    outcome: str
    recovered: bool
    kind: str | None
    action: str
    effect: str | None
    advice: str | None
    detail: str | None
    thought: str | None
    intent: str | None
    objective: str | None
    retired: str | None
    notes: str | None
    heard: str | None
    reply: str | None
    speak: str | None
    held: bool
    clipped: tuple[str, ...]
    decision_ms: int | None
    action_ms: int | None
    spent: Spent
    tiles: int
    """Distinct tiles so far."""
    place: str | None
    verdicts: Verdicts
    saw: tuple[Passage, ...]
    result: tuple[Passage, ...]
    picture: str | None
    """A `data:` URL."""
    picture_problem: str | None


class Step(Shown, frozen=True, kw_only=True, array_like=True):
    """Where the player stood in a turn; `index` counts the page's turns."""

    index: int
    x: int
    y: int


class ShownMap(Shown, frozen=True, kw_only=True):
    """A map as far as it was seen: rows of tiles from `x`, `y`; a space was never seen."""

    name: str
    x: int
    y: int
    rows: tuple[str, ...]
    path: tuple[Step, ...]


class Document(Shown, frozen=True, kw_only=True):
    run: Run
    player: Player
    aggregate: Aggregate
    plan: dict[str, int]
    proofs: dict[str, int]
    spent: Spent
    duration_ms: float | None
    end_picture: str | None
    remarks: tuple[str, ...]
    """What else the journal says: notables, lost lines, a torn tail."""
    turns: tuple[ShownTurn, ...]
    maps: tuple[ShownMap, ...]
