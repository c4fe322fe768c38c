"""What a run used: by its `usage` lines, else by its summary, else by its turns."""

from __future__ import annotations

from typing import TypeVar

from msgspec import Struct

from kernel.journal.lines import Usage
from kernel.journal.run import RunWalk


class Spent(Struct, frozen=True, rename="camel"):
    """Charged tokens and their estimated cost; None is unknown and differs from 0 (K28, K29)."""

    tokens: int | None = None
    cost: float | None = None
    estimated: bool = False


class TurnsUsage:
    """Adds up what turns say that they used. One turn's unknown part makes the sum unknown."""

    def __init__(self) -> None:
        self._tokens: int | None = 0
        self._cost: float | None = 0.0
        self._estimated = False
        self._told = False

    def add(self, usage: Usage | None) -> None:
        """Take the next turn; one that made no call has no usage."""
        if usage is None:
            return
        self._told = True
        one = spent_by(usage)
        self._tokens = _sum(self._tokens, one.tokens)
        self._cost = _sum(self._cost, one.cost)
        self._estimated |= one.estimated

    def of_run(self, walk: RunWalk) -> Spent:
        """What the run used, from the best source that it has; call it when the walk is over."""
        if walk.kinds["usage"]:
            return spent_by(walk.usage.total())
        if walk.summary is not None and walk.summary.usage is not None:
            return spent_by(walk.summary.usage)
        return Spent(self._tokens, self._cost, self._estimated) if self._told else Spent()


def spent_by(usage: Usage) -> Spent:
    """Charged tokens, else input and output together."""
    tokens = usage.charged
    if tokens is None and usage.input is not None and usage.output is not None:
        tokens = usage.input + usage.output
    return Spent(tokens, usage.cost, usage.estimated)


_Number = TypeVar("_Number", int, float)


def _sum(total: _Number | None, more: _Number | None) -> _Number | None:
    return None if total is None or more is None else total + more
