"""One open room: a bounded queue and the one task that empties it.

Putting something into the queue never waits, so nothing that a room does reaches a turn (K13, K33).
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeAlias

import trio

from daemon.control import wire
from daemon.rooms.correspondence import Correspondence
from daemon.rooms.delivery import Delivery, event_of
from daemon.rooms.destination import DeliveryFailed, Destination

CAPACITY = 64
"""Deliveries that wait, of at most 2,000 characters each."""

Follower: TypeAlias = Callable[[wire.Event], None]
"""Takes an event at once and does not raise."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Letter:
    """A delivery with whom it is from."""

    delivery: Delivery
    correspondence: Correspondence


Settle: TypeAlias = Callable[[Letter, wire.DeliveryOutcome | None, str], None]
"""Is told what became of a letter, and why; None: it was handed over, the room has the word."""


class Room:
    """A room as some sessions know it. `run` is its owner's task."""

    def __init__(
        self,
        destination: Destination,
        followers: Collection[Follower],
        why_not: Callable[[Letter], tuple[wire.DeliveryOutcome, str] | None],
        settle: Settle,
    ) -> None:
        """`why_not` says, just before a letter is sent, why it must not be; None: it may."""
        self._users = 0
        self._destination = destination
        self._followers = followers
        self._why_not = why_not
        self._settle = settle
        self._waiting: deque[Letter] = deque()
        self._sending: Letter | None = None
        self._wake = trio.Event()

    def put(self, letter: Letter) -> None:
        """Queue a letter; in a full queue the oldest words make place for it, notables last."""
        if len(self._waiting) >= CAPACITY:
            oldest = next((old for old in self._waiting if old.delivery.notable is None), None)
            oldest = oldest or self._waiting[0]
            self._waiting.remove(oldest)
            self._settle(oldest, "failed", f"{CAPACITY} newer ones wait for the room")
        self._waiting.append(letter)
        self._wake.set()

    def hold(self) -> None:
        """One more session writes to it."""
        self._users += 1

    def let_go(self) -> None:
        """One session less; after the last, `run` ends once the queue is empty."""
        self._users -= 1
        self._wake.set()

    async def run(self) -> None:
        """Deliver while a session holds it; each delivery within its destination's bound."""
        try:
            while True:
                while self._waiting:
                    self._sending = self._waiting.popleft()
                    outcome, why = await self._deliver(self._sending)
                    letter, self._sending = self._sending, None
                    self._settle(letter, outcome, why)
                if not self._users:
                    return
                await self._wake.wait()
                self._wake = trio.Event()
        finally:
            left = [*filter(None, (self._sending,)), *self._waiting]
            for letter in left:
                self._settle(letter, "failed", "playd ended before it was delivered")

    async def close(self) -> None:
        """Let go of what its destination holds."""
        await self._destination.close()

    async def _deliver(self, letter: Letter) -> tuple[wire.DeliveryOutcome | None, str]:
        if (refused := self._why_not(letter)) is not None:
            return refused
        event = event_of(letter.delivery)
        for show in tuple(self._followers):
            show(event)
        try:
            return await self._destination.deliver(letter.delivery), ""
        except DeliveryFailed as failed:
            return "failed", str(failed)
        except Exception as error:
            # A fault of ours in one delivery must not end the daemon.
            _log.exception("a delivery failed in the daemon itself")
            return "failed", f"internal error: {type(error).__name__}"
