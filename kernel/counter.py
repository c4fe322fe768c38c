"""A counter of the same thing in a row."""

from __future__ import annotations

from collections.abc import Hashable

from msgspec import Struct


class Counter(Struct, frozen=True):
    """How often in a row `value` came."""

    value: Hashable = None
    count: int = 0

    def then(self, value: Hashable) -> Counter:
        """One more of the same, or the first of another."""
        return Counter(value, self.count + 1 if self.count and value == self.value else 1)
