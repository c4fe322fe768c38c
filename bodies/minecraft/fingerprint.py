"""When two samplings show the same state (K18): phase, generation and health class."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

from bodies.minecraft import wire

DANGER = 6.0

HealthClass = Literal["dead", "danger", "alive", "unknown"]


def health_class(health: float | None) -> HealthClass:
    """Dead at 0, in danger up to 6, else alive; None is unknown."""
    if health is None:
        return "unknown"
    if health <= 0:
        return "dead"
    return "danger" if health <= DANGER else "alive"


def fingerprint(status: wire.MotorStatus, health: float | None) -> Hashable:
    """Where people stand, what they say and what lies about is no change of state."""
    return (status.phase, status.session, health_class(health))
