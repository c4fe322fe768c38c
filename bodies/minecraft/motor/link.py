"""One motor for one session: connected at the first need, held until the end, told when lost."""

from __future__ import annotations

from typing import cast

import trio

from bodies.minecraft.motor.client import Connection, connected
from bodies.minecraft.motor.motor import Motor, MotorLost
from bodies.minecraft.motor.native import NEEDED, NativeMotor
from bodies.minecraft.motor.tools import one_line
from bodies.minecraft.public.motor import NEEDED as PUBLIC_NEEDED
from bodies.minecraft.public.motor import PublicMotor


class MotorLink:
    """Owns the connection; the nursery that it is given must be left for it to end."""

    def __init__(self, motor: tuple[str, ...] | str, nursery: trio.Nursery) -> None:
        self.lost = trio.Event()
        self.cause = ""
        """Why it was lost, once it is."""
        self._named = motor
        self._nursery = nursery
        self._settled = trio.Event()
        self._motor: Motor | None = None
        self._connection: Connection | None = None

    async def open(self) -> Motor:
        """The motor, ready to be asked; nothing is joined by that. Raises MotorLost."""
        if self._motor is None and not self.lost.is_set():
            self._nursery.start_soon(self._hold)
            await self._settled.wait()
        if self._motor is None or self.lost.is_set():
            raise MotorLost(self.cause)
        return self._motor

    def lose(self, cause: str) -> None:
        """Nothing more is asked of this motor; the first cause counts."""
        if not self.lost.is_set():
            self.cause = cause
            self.lost.set()

    @property
    def pids(self) -> tuple[int, ...]:
        """Processes of ours outside our own group."""
        process = self._connection.process if self._connection else None
        return () if process is None else (process.pid,)

    @property
    def garbled(self) -> int:
        """Lines of the motor that were no message."""
        process = self._connection.process if self._connection else None
        return 0 if process is None else process.garbled

    async def _hold(self) -> None:
        try:
            async with (
                connected(self._named, self.lose) as connection,
                trio.open_nursery() as errands,
            ):
                self._connection = connection
                self._motor = _speaking_to(connection, errands)
                self._settled.set()
                await self.lost.wait()
                errands.cancel_scope.cancel()
        except* Exception as wrong:
            # Split, for a cancellation may come in one group with what the library raised then.
            self.lose(_cause(wrong))
        finally:
            self._settled.set()


def _speaking_to(connection: Connection, errands: trio.Nursery) -> Motor:
    """The motor in the dialect that its tools tell."""
    if connection.names >= NEEDED:
        return NativeMotor(connection.client)
    if connection.names >= PUBLIC_NEEDED:
        return PublicMotor(connection.client, errands)
    lacking = ", ".join(sorted(NEEDED - connection.names))
    raise MotorLost(f"this is no motor that playd knows: it lacks the tools {lacking}")


def _cause(wrong: Exception) -> str:
    """The first plain cause within the groups that nested scopes make."""
    while isinstance(wrong, ExceptionGroup):
        wrong = cast("ExceptionGroup[Exception]", wrong).exceptions[0]
    if isinstance(wrong, MotorLost):
        return str(wrong)
    return one_line(f"the motor cannot be talked to: {type(wrong).__name__}: {wrong}")
