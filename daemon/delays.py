"""How long the supervisor waits for what: the contract's values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Delays:
    """Seconds."""

    hang: float = 30.0
    """Without a line from a session process."""
    term_grace: float = 3.0
    """Between SIGTERM and SIGKILL."""
    leftover_grace: float = 0.5
    """The same for what a session process left behind when it ended by itself."""
    farewell: float = 5.0
    """Between a session process's claim of its end and its exit."""
    drain: float = 1.0
    """For what is left in a dead process's pipes, which a survivor may hold open."""
    say: float = 5.0
    """Until a session must have acknowledged a message."""
    recover: float = 30.0
    """For a session process in mode `recover`."""
    lease_check: float = 1.0
    """Between looks at the leases: nothing wakes a process when its machine was suspended."""
    unwritten: float = 5.0
    """Between tries to write what the disk did not take."""
    first_restart: float = 1.0
    """After the first death in a row; the others are multiples of it."""
