"""What reaches a session from outside while it plays: its ending, a pause, people's words.

The loop waits inside `interruptible` scopes; an ending cancels them, so that a stop is seen in any
wait at once (K9) and nothing new is admitted after it.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType

import trio

from kernel.interjections import Interjections
from kernel.session.wire import Outcome

WORDS_REMEMBERED = 32
"""The player's latest remarks, by which its own words are known when a room hands them back."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Why the session ends, and what is still allowed after that. Times are seconds."""

    outcome: Outcome
    detail: str = ""
    patience: float = 0.0
    """How long what is in flight may still be awaited, where the game lets it settle."""
    over_in: float = 10.0
    """Within this time of its request the session has said its last word, left and written up."""
    leaves: bool = True
    """Whether the world is told farewell."""
    confirmed: bool = False
    """The world itself said that nothing holds the body any more."""


class Reach:
    """While entered, an ending reaches this scope; a plain class, for it is entered every turn."""

    __slots__ = ("_controls", "_scopes", "scope")

    def __init__(
        self, scope: trio.CancelScope, scopes: set[trio.CancelScope], controls: Controls
    ) -> None:
        self.scope = scope
        self._scopes = scopes
        self._controls = controls

    def __enter__(self) -> None:
        if self._controls.ending is not None:
            self.scope.cancel()
        self._scopes.add(self.scope)

    def __exit__(self, *_: object) -> None:
        self._scopes.discard(self.scope)


class Interruptible:
    """A cancel scope of its own that an ending reaches."""

    __slots__ = ("_reach",)

    def __init__(self, reach: Reach) -> None:
        self._reach = reach

    def __enter__(self) -> trio.CancelScope:
        self._reach.__enter__()
        return self._reach.scope.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        self._reach.__exit__()
        return self._reach.scope.__exit__(kind, error, trace)


class Hearing:
    """While entered, `told` hears of every message that was queued."""

    __slots__ = ("_hearers", "_told")

    def __init__(self, hearers: list[Callable[[], None]], told: Callable[[], None]) -> None:
        self._hearers = hearers
        self._told = told

    def __enter__(self) -> None:
        self._hearers.append(self._told)

    def __exit__(self, *_: object) -> None:
        self._hearers.remove(self._told)


class Controls:
    """The inbound side of one session."""

    def __init__(self) -> None:
        self.ending: Ending | None = None
        self.stopping = trio.Event()
        self._over_by = math.inf
        self.interjections = Interjections()
        self.echoes = 0
        self.descendants: tuple[int, ...] = ()
        """Processes outside our group that must not survive the session."""
        self._spoken: deque[str] = deque(maxlen=WORDS_REMEMBERED)
        self._acknowledgements: dict[str, trio.Event] = {}
        self._bell = trio.Event()
        self._playing = trio.Event()
        self._playing.set()
        self._hearers: list[Callable[[], None]] = []
        self._at_once: set[trio.CancelScope] = set()
        self._patient: set[trio.CancelScope] = set()
        self._closing: dict[trio.CancelScope, float] = {}

    def end(self, ending: Ending, *, overriding: bool = False) -> None:
        """Admit nothing new. The first ending names the outcome; later ones only shorten it."""
        if self.ending is None or overriding:
            self.ending = ending
            self.stopping.set()
        self._over_by = min(self._over_by, trio.current_time() + ending.over_in)
        for scope in self._at_once:
            scope.cancel()
        for scope in self._patient:
            scope.deadline = min(scope.deadline, trio.current_time() + ending.patience)
        for scope, kept in self._closing.items():
            scope.deadline = min(scope.deadline, self._over_by - kept)

    def interruptible(self, *, patient: bool = False) -> Interruptible:
        """A scope that an ending cancels: at once, or after its patience when `patient`."""
        return Interruptible(self.reaching(trio.CancelScope(), patient=patient))

    def reaching(self, scope: trio.CancelScope, *, patient: bool = False) -> Reach:
        """Let an ending cancel `scope`, which somebody else enters; may be entered many times."""
        return Reach(scope, self._patient if patient else self._at_once, self)

    def hearing(self, told: Callable[[], None]) -> Hearing:
        """While entered, `told` is called after each message that was queued."""
        return Hearing(self._hearers, told)

    @contextmanager
    def closing(self, kept: float) -> Generator[None]:
        """A scope for what an ending session still does; leaves `kept` seconds for what follows."""
        with trio.CancelScope(deadline=self._over_by - kept) as scope:
            self._closing[scope] = kept
            try:
                yield
            finally:
                del self._closing[scope]

    def say(self, speaker: str, text: str, at: str) -> None:
        """Queue what a person said and wake who waits; the player's own words are dropped."""
        if text.strip() in self._spoken:
            self.echoes += 1
            return
        self.interjections.put(speaker, text, at)
        for told in self._hearers:
            told()
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

    def acknowledge(self, id: str) -> None:
        """The supervisor has what we sent it under this id."""
        self._acknowledgements.setdefault(id, trio.Event()).set()

    async def acknowledged(self, id: str) -> None:
        """Wait for the supervisor to have it."""
        await self._acknowledgements.setdefault(id, trio.Event()).wait()

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
