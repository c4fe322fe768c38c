"""Which body the screen belongs to, and which news of it still counts.

Pure. A body can be replaced under the player: its generation grows, the picture in hand is dropped,
and what an older generation still has to say is ignored and counted.
"""

from __future__ import annotations

from bodies.pokemon.seat.counters import Counters
from bodies.pokemon.wire import Frame


class Screen:
    """The current body's generation and newest picture; None until the world tells."""

    def __init__(self, counters: Counters) -> None:
        self.generation: int | None = None
        self.frame: Frame | None = None
        self._counters = counters

    def admits(self, generation: int) -> bool:
        """Whether news of this body counts; a newer body than the known one takes its place."""
        if self.generation is not None and generation < self.generation:
            self._counters.stale_answers += 1
            return False
        if generation != self.generation:
            self.generation = generation
            self.frame = None
        return True

    def draw(self, frame: Frame) -> bool:
        """Take a picture of the current body, and only a newer one; count what was lost between."""
        if not self.admits(frame.body_generation):
            return False
        if self.frame is not None and frame.frame <= self.frame.frame:
            self._counters.frames_old += 1
            return False
        self.frame = frame
        self._counters.frames_received += 1
        self._counters.frames_lost += frame.dropped
        return True
