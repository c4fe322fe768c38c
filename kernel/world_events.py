"""The latest untrusted event of a world: a slot in which newer replaces older (K15)."""

from __future__ import annotations

from collections.abc import Callable


class LatestEvent:
    """Wakes pacing through `woken`; never replaces a proposal nor a person's message."""

    def __init__(self, woken: Callable[[], None]) -> None:
        self._woken = woken
        self._text: str | None = None
        self.replaced = 0

    def put(self, text: str) -> None:
        """Keep this event; an older one that was not taken yet is counted as replaced."""
        if self._text is not None:
            self.replaced += 1
        self._text = text
        self._woken()

    def take(self, bound: int) -> str | None:
        """The event for the next proposal, at most `bound` characters, and forget it."""
        text, self._text = self._text, None
        return None if text is None else text[:bound]
