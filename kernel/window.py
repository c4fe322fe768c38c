"""A window over the latest values, to see whether they come back."""

from __future__ import annotations

from collections.abc import Hashable

from msgspec import Struct


class Window(Struct, frozen=True):
    """The latest `size` values, oldest first."""

    size: int
    values: tuple[Hashable, ...] = ()

    def then(self, value: Hashable) -> Window:
        """The window after one more value; the oldest goes when it is full."""
        return Window(self.size, (*self.values, value)[-self.size :])

    @property
    def revisits(self) -> int:
        """How many of the values had been in the window before."""
        return len(self.values) - len(set(self.values))

    def __len__(self) -> int:
        return len(self.values)

    def __contains__(self, value: Hashable) -> bool:
        return value in self.values
