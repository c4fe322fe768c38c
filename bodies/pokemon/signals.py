"""The signals that the model is shown and the trail records (K19)."""

from __future__ import annotations

import msgspec

from kernel.window import Window

SHOWN_FROM = 12
REPEATING_FROM = 3
RECURRING_WINDOW = 12
RECURRING_FROM = 6


class Signals(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Counts of turns; null or empty: nothing to tell."""

    refused_here: tuple[str, ...]
    """Directions refused from this exact tile."""
    known_hard_failures: tuple[str, ...]
    """Refusals known under unchanged evidence (K21)."""
    stalled_for_turns: int | None
    """Turns since a new tile, from 12 and with a position."""
    repeating_for_turns: int | None
    """The same effect in a row, from 3."""
    recurring_for_turns: int | None
    """Length of the window of states, from 6, when at least half of it are revisits."""
    objective_for_turns: int | None
    locale_for_turns: int | None
    previous_objective: str | None
    previous_notes: str | None
    retired_objective: str | None
    """What the turn before this one retired (K20)."""
    objective_recovery: bool
    """The objective's slot stays empty until the loop is left."""
    verified_interactions: tuple[str, ...]
    known_transitions: tuple[str, ...]
    turns_since_spoken: int | None
    decision_preemptions: int


def shown_from(least: int, count: int) -> int | None:
    """The count once it is worth telling."""
    return count if count >= least else None


def recurring(window: Window) -> int | None:
    """The window's length when at least half of it are revisits; None when states do not recur."""
    length = len(window)
    return length if length >= RECURRING_FROM and window.revisits * 2 >= length else None
