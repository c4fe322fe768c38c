"""An operator who wants every seat to play, and mends what can be mended with a request."""

from __future__ import annotations

import time
from collections.abc import Container
from dataclasses import dataclass, field

import trio
from lives import Lives

_LOOKS_EVERY = 0.7
_WANTING = frozenset(("idle", "stale", "recovery_required", "failed"))
"""States of a seat in which nothing happens by itself."""


@dataclass
class Operator:
    """Joins whatever does not play, but for the seats that are left alone."""

    lives: Lives
    forced: Container[str] = ()
    """Seats for which the operator gives their word: a motor that died tells nothing."""
    left_alone: dict[str, float] = field(default_factory=dict[str, float])
    """Until which moment of trio's clock."""
    answers: dict[str, int] = field(default_factory=dict[str, int])
    """How often a join was answered how."""

    async def operate(self) -> None:
        """Look and join until cancelled."""
        async with trio.open_nursery() as nursery:
            while True:
                await trio.sleep(_LOOKS_EVERY)
                status = await self.lives.ask("status")
                if isinstance(status, str):
                    continue
                for seat in status["seats"]:
                    name = seat["seat"]
                    alone = self.left_alone.get(name, 0.0) > trio.current_time()
                    if seat["state"] in _WANTING and not alone:
                        self.left_alone[name] = trio.current_time() + _LOOKS_EVERY
                        nursery.start_soon(self._join, name, seat["state"])

    async def _join(self, seat: str, state: str) -> None:
        if state == "failed":
            await self.lives.ask("reset", seat=seat)
        if state == "recovery_required" and seat in self.forced:
            await self.lives.ask("recover", seat=seat, force=True)
        answer = await self.lives.ask("join", seat=seat, wait=0)
        code = answer if isinstance(answer, str) else str(answer["state"])
        self.answers[code] = self.answers.get(code, 0) + 1

    async def stop(self, seat: str, *, now: bool, seconds: float) -> None:
        """Stop a seat and leave it alone for so long."""
        self.left_alone[seat] = trio.current_time() + 60
        asked = time.time()
        answer = await self.lives.ask("stop", seat=seat, now=now)
        self.lives.story.tell("a stop was answered", seat=seat, asked=asked, answer=answer)
        self.left_alone[seat] = trio.current_time() + seconds
