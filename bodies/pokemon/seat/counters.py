"""What happened on a seat's connection that no answer shows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Counters:
    """Counts since the join; they only grow."""

    reconnects: int = 0
    frames_received: int = 0
    frames_lost: int = 0
    """Frames that the world says it dropped between those received."""
    frames_old: int = 0
    """Frames no newer than the one in hand, or of an older body; not shown."""
    late_answers: int = 0
    """Answers to requests that nobody waits for any more."""
    stale_answers: int = 0
    """Answers and pushes of an older body generation."""
    garbled: int = 0
    """Messages that are not what the protocol says."""
