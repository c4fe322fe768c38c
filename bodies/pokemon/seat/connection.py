"""Keeps one session's link alive: reconnects when it is lost, knows when the world has ended."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable

import trio

from bodies.pokemon.seat.counters import Counters
from bodies.pokemon.seat.ended import EndCause, Parting, confirmed
from bodies.pokemon.seat.link import Link, LinkParted, OpenLink
from bodies.pokemon.seat.reconnect import GIVE_UP_S, STEADY_S, wait_before
from bodies.pokemon.wire import Request
from kernel.body import WorldEnded

MAX_SENDS = 4
"""How often one request is sent when its answers keep getting lost."""

CheckSession = Callable[[Link], Awaitable[None]]


class Connection:
    """The link of the moment. `check` asks a new link for the session and raises LinkParted."""

    def __init__(
        self,
        open_link: OpenLink,
        check: CheckSession,
        counters: Counters,
        chance: Callable[[], float],
    ) -> None:
        self._open_link = open_link
        self._check = check
        self._counters = counters
        self._chance = chance
        self._link: Link | None = None
        self._news = trio.Event()
        self._ended: Parting | None = None
        self._over = trio.Event()

    async def keep(self, *, task_status: trio.TaskStatus[None]) -> None:
        """Run until the world has ended. Raises LinkParted when even the first link fails."""
        attempt = 0
        async with self._open_link() as link:
            task_status.started()
            parting, lived = await self._live(link)
        while parting.cause is None and self._ended is None:
            attempt = 0 if lived >= STEADY_S else attempt
            parting, attempt, lived = await self._regain(parting, attempt)
        self.end(parting)

    async def ask_once(self, request: Request, wait: float) -> bytes:
        """Send over the link of the moment and not again. Raises LinkParted, WorldEnded."""
        return await ask_within(await self._live_link(), request, wait)

    async def exchange(self, request: Request, wait: float) -> bytes:
        """Send and wait for the answer; over a new link when it is lost. Raises WorldEnded."""
        last = Parting("not sent")
        for _ in range(MAX_SENDS):
            try:
                return await ask_within(await self._live_link(), request, wait)
            except LinkParted as parted:
                last = parted.parting
                if last.cause is not None:
                    self.end(last)
        self.end(Parting(f"{request.operation} stays unanswered: {last.detail}", "unreachable"))
        raise self.world_ended()

    def end(self, parting: Parting) -> None:
        """The world is over for this session; the first word stands."""
        if self._ended is None:
            self._ended = parting
            self._over.set()
            self._tell()
            if self._link is not None:
                self._link.part(parting)

    @property
    def ended(self) -> Parting | None:
        """How the world ended; None while it has not."""
        return self._ended

    async def wait_ended(self) -> Parting:
        """Wait for the end. Unbounded: a world may outlive every session."""
        await self._over.wait()
        assert self._ended is not None
        return self._ended

    def world_ended(self) -> WorldEnded:
        """The error that every operation raises once the world is over."""
        cause: EndCause = self._ended.cause if self._ended and self._ended.cause else "unreachable"
        return WorldEnded(cause, confirmed=confirmed(cause))

    async def _live_link(self) -> Link:
        # Bounded by the keeper: after GIVE_UP_S without a link there is an end.
        while self._ended is None:
            if self._link is not None and self._link.parting is None:
                return self._link
            await self._news.wait()
        raise self.world_ended()

    async def _live(self, link: Link) -> tuple[Parting, float]:
        began = trio.current_time()
        self._link = link
        self._tell()
        try:
            parting = await link.parted()
        finally:
            self._link = None
        return parting, trio.current_time() - began

    async def _regain(self, lost: Parting, attempt: int) -> tuple[Parting, int, float]:
        """Try until a link lives and parts again, or the world counts as ended."""
        last = lost
        with trio.CancelScope(deadline=trio.current_time() + GIVE_UP_S) as patience:
            while True:
                await trio.sleep(wait_before(attempt, self._chance()))
                attempt += 1
                try:
                    async with self._open_link() as link:
                        await self._check(link)
                        patience.deadline = math.inf
                        self._counters.reconnects += 1
                        parting, lived = await self._live(link)
                    return parting, attempt, lived
                except LinkParted as parted:
                    last = parted.parting
                    if last.cause is not None:
                        return last, attempt, 0.0
        return (
            Parting(f"no session for {GIVE_UP_S:g} s: {last.detail}", "unreachable"),
            attempt,
            0.0,
        )

    def _tell(self) -> None:
        self._news.set()
        self._news = trio.Event()


async def ask_within(link: Link, request: Request, wait: float) -> bytes:
    """One request over this link; an answer that does not come ends it. Raises LinkParted."""
    with trio.move_on_after(wait):
        return await link.ask(request)
    parting = Parting(f"no answer to {request.operation} within {wait:.3g} s")
    link.part(parting)
    raise LinkParted(parting)
