"""The fixed sets that label values come from, so that no message can make new series."""

from __future__ import annotations

from collections.abc import Collection
from typing import get_args

from config.settings import Verb
from daemon.control.wire import Code, DeliveryOutcome, SeatState, SessionState
from daemon.lifecycle import TERMINAL, Outcome
from kernel.model.errors import FailureKind

OTHER = "other"
"""Stands for a value outside its set."""

TURN_OUTCOMES = (
    "accepted",
    "settled",
    "waited",
    "rejected_by_adapter",
    "action_failed",
    "invalid_decision",
    "mind_failed",
    "state_changed",
    "stale_decision",
    "budget_exhausted",
    "interrupted",
)
STALE = frozenset(("state_changed", "stale_decision"))
"""Turn outcomes that say that the world had moved on."""
CALL_OUTCOMES = ("answered", *(kind.value for kind in FailureKind))
SESSION_OUTCOMES: tuple[str, ...] = (*get_args(Outcome), "refused")
SEAT_STATES: tuple[str, ...] = get_args(SeatState)
LIVE_STATES: tuple[str, ...] = tuple(
    state for state in get_args(SessionState) if state not in TERMINAL
)
NOTABLES = (
    "stuck",
    "objective_retired_twice",
    "mind_unavailable",
    "world_ended",
    "budget_exhausted",
)
ROLES = ("mind", "voice")
TOKEN_KINDS = ("input", "output", "cache_read", "cache_write", "reserved")
REPLACED_BY = ("message", "changed")
VERBS: tuple[str, ...] = (*get_args(Verb), "cancel", "unreadable")
CODES: tuple[str, ...] = ("ok", *get_args(Code))
DELIVERY_OUTCOMES: tuple[str, ...] = get_args(DeliveryOutcome)


def known(value: str, values: Collection[str]) -> str:
    """The value, or `other` when it is none of these."""
    return value if value in values else OTHER
