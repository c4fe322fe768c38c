"""What reaches a session from outside while it plays: its ending, a pause, people's words.

The loop waits inside `interruptible` scopes; an ending cancels them, so that a stop is seen in any
wait at once (K9) and nothing new is admitted after it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import trio

from kernel.interjections import Interjections

WORDS_REMEMBERED = 32
"""The player's latest remarks, by which its own words are known when a room hands them back."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Why the session ends, and what is still allowed after that. Times are seconds."""

    outcome: str
    detail: str = ""
    patience: float = 0.0
    """How long what is in flight may still be awaited, where the game lets it settle."""
    farewell: float = 3.0
    """How long leaving may take; 0: no attempt."""
    confirmed: bool = False
    """The world itself said that nothing holds the body any more."""


class Controls:
    """The inbound side of one session."""

    def __init__(self) -> None:
        self.ending: Ending | None = None
        self.stopping = trio.Event()
        self.interjections = Interjections()
        self.echoes = 0
        self._spoken: deque[str] = deque(maxlen=WORDS_REMEMBERED)
        self._bell = trio.Event()
        self._playing = trio.Event()
        self._playing.set()
        self._at_once: set[trio.CancelScope] = set()
        self._patient: set[trio.CancelScope] = set()

    def end(self, ending: Ending) -> None:
        """Admit nothing new. The first ending names the outcome; later ones may only shorten it."""
        if self.ending is None:
            self.ending = ending
            self.stopping.set()
        for scope in self._at_once:
            scope.cancel()
        for scope in self._patient:
            scope.deadline = min(scope.deadline, trio.current_time() + ending.patience)

    @contextmanager
    def interruptible(self, *, patient: bool = False) -> Generator[trio.CancelScope]:
        """A scope that an ending cancels: at once, or after its patience when `patient`."""
        with trio.CancelScope() as scope, self.reaching(scope, patient=patient):
            yield scope

    @contextmanager
    def reaching(self, scope: trio.CancelScope, *, patient: bool = False) -> Generator[None]:
        """Let an ending cancel `scope`, which somebody else enters."""
        scopes = self._patient if patient else self._at_once
        if self.ending is not None:
            scope.cancel()
        scopes.add(scope)
        try:
            yield
        finally:
            scopes.discard(scope)

    def say(self, speaker: str, text: str, at: str) -> None:
        """Queue what a person said and wake who waits; the player's own words are dropped."""
        if text.strip() in self._spoken:
            self.echoes += 1
            return
        self.interjections.put(speaker, text, at)
        self.ring()

    def spoke(self, text: str) -> None:
        """The player said this aloud; a room that hands it back is not heard (K16a)."""
        self._spoken.append(text.strip())

    def ring(self) -> None:
        """Wake the waits that a message or a world event may end."""
        self._bell.set()
        self._bell = trio.Event()

    async def rung(self) -> None:
        """Wait for the next message or world event."""
        await self._bell.wait()

    def pause(self) -> None:
        """Let no further turn start."""
        if self._playing.is_set():
            self._playing = trio.Event()

    def resume(self) -> None:
        """Let turns start again."""
        self._playing.set()

    @property
    def paused(self) -> bool:
        return not self._playing.is_set()

    async def unpaused(self) -> None:
        """Wait until turns may start."""
        await self._playing.wait()
