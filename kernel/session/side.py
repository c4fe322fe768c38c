"""What the session offers its body, for real: see `kernel.body.SessionSide`."""

from __future__ import annotations

from dataclasses import dataclass

from kernel.controls import Controls
from kernel.world_events import LatestEvent


@dataclass(frozen=True, slots=True)
class Side:
    """Hands on what a body says outside of its turns."""

    conversation: str | None
    events: LatestEvent
    controls: Controls

    def put(self, text: str) -> None:
        """Keep the event for the next proposal."""
        self.events.put(text)

    def spawned(self, pid: int) -> None:
        """Let the guardian know whom to end when the loop cannot."""
        self.controls.descendants += (pid,)
