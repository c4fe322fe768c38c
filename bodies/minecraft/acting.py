"""One action, begun, watched for a slice of time, cancelled if it takes longer (K24)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import trio

from bodies.minecraft import wire
from bodies.minecraft.consistency import contradiction_in_action, mismatch
from bodies.minecraft.motor.motor import Motor, MotorLost, MotorTrouble
from kernel.body import Settled
from kernel.journal.lines import opaque

SLICE_S: Final = 10.0
LOOK_S: Final = 0.25
"""Between two looks at a running action: a motor tells of an end only when it is asked."""
SETTLE_S: Final = 5.0
"""For a cancelled action to come to its end."""


@dataclass(frozen=True, slots=True)
class Done:
    """How an action ended. With a `failure`, what its status says proves nothing."""

    action: wire.Action
    status: wire.ActionStatus | None
    failure: str | None = None

    @property
    def failed(self) -> bool:
        """Whether it counts for K14: refused, contradictory or failed, and not proved done."""
        if self.failure is not None or self.status is None:
            return True
        return self.status.state == "failed" and not isinstance(self.status.evidence, wire.Verified)


MinecraftSettled = Settled[Done]


async def perform(
    motor: Motor,
    session: wire.SessionRef,
    action_id: str,
    action: wire.Action,
    stopping: trio.Event,
) -> Done:
    """Do it and say what came of it. A stop cancels it through the motor, as the slice's end does.

    Takes at most 10 s and, for an action that has to be cancelled, 5 s more. Raises MotorLost.
    """
    errand = _Errand(motor, session, action_id, action)
    await errand.begin_and_watch(stopping)
    if errand.unfinished:
        await errand.cancel()
    if errand.lost is not None:
        raise errand.lost
    return errand.done()


def settled(done: Done) -> MinecraftSettled:
    """The action's end as the turn records it."""
    told = done.status if done.failure is None else _Failure(done.failure, done.status)
    return Settled(
        outcome="action_failed" if done.failed else "settled",
        failed=done.failed,
        result=opaque({"source": "motor", "result": told}),
        native=done,
    )


@dataclass(frozen=True, slots=True)
class _Failure:
    failure: str
    status: wire.ActionStatus | None


class _Mismatch(Exception):
    """A status that is not about this action, or that contradicts itself."""


class _Errand:
    def __init__(
        self, motor: Motor, session: wire.SessionRef, action_id: str, action: wire.Action
    ) -> None:
        self.lost: MotorLost | None = None
        self._motor = motor
        self._session = session
        self._id = action_id
        self._action = action
        self._status: wire.ActionStatus | None = None
        self._trouble: str | None = None
        self._mismatch: str | None = None

    @property
    def unfinished(self) -> bool:
        """Whether something may still be under way."""
        return self.lost is None and (self._status is None or not self._status.over)

    def done(self) -> Done:
        if self._mismatch is not None:
            return Done(self._action, None, self._mismatch)
        if self._status is not None and self._status.over:
            return Done(self._action, self._status)
        failure = self._trouble or "it was still under way after its cancellation"
        return Done(self._action, self._status, failure)

    async def begin_and_watch(self, stopping: trio.Event) -> None:
        async with trio.open_nursery() as nursery:
            nursery.cancel_scope.deadline = trio.current_time() + SLICE_S
            nursery.start_soon(_cancel_at, stopping, nursery.cancel_scope)
            await self._guarded(self._begin)
            nursery.cancel_scope.cancel()

    async def cancel(self) -> None:
        with trio.move_on_after(SETTLE_S):
            await self._guarded(self._cancel)

    async def _begin(self) -> None:
        self._take(await self._motor.act(self._session, self._id, self._action))
        await self._watch()

    async def _cancel(self) -> None:
        self._take(await self._motor.cancel_action(self._session, self._id))
        await self._watch()

    async def _watch(self) -> None:
        while self._status is not None and not self._status.over:
            await trio.sleep(LOOK_S)
            self._take(await self._motor.action_status(self._session, self._id))

    async def _guarded(self, step: Callable[[], Awaitable[None]]) -> None:
        try:
            await step()
        except MotorLost as lost:
            self.lost = lost
        except MotorTrouble as trouble:
            self._trouble = self._trouble or str(trouble)
        except _Mismatch as wrong:
            self._status, self._mismatch = None, self._mismatch or str(wrong)

    def _take(self, status: wire.ActionStatus) -> None:
        wrong = mismatch(status, self._session, self._id, self._action)
        wrong = wrong or contradiction_in_action(status)
        if wrong is not None:
            raise _Mismatch(wrong)
        self._status = status


async def _cancel_at(stopping: trio.Event, scope: trio.CancelScope) -> None:
    await stopping.wait()
    scope.cancel()
