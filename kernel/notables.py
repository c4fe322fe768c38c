"""What the conversation behind a sitting is told, each kind at most once a sitting (K32)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

NotableKind: TypeAlias = Literal[
    "stuck", "objective_retired_twice", "mind_unavailable", "world_ended", "budget_exhausted"
]


class Notables:
    """Remembers what this sitting has been told, its earlier runs included."""

    def __init__(self, told: Iterable[str] = ()) -> None:
        self._told = set(told)

    def first(self, kind: NotableKind) -> bool:
        """Whether this kind is told now for the first time; it counts as told from here on."""
        if kind in self._told:
            return False
        self._told.add(kind)
        return True
