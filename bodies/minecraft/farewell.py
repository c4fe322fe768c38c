"""Asking a motor to leave, and waiting for its confirmation; nothing less counts."""

from __future__ import annotations

from typing import Final

import trio

from bodies.minecraft import wire
from bodies.minecraft.motor.motor import Motor, MotorLost, MotorTrouble

ASK_S: Final = 3.0
"""For the answer to `leave` itself; a motor that hangs there may still confirm by its status."""
LOOK_S: Final = 0.1
"""Between two looks at the status."""


async def ask_to_leave(motor: Motor, session: wire.SessionRef) -> wire.Confirmed | None:
    """The confirmation for exactly this session; None when it cannot be had any more.

    Waits as long as the motor says that the end is pending: the caller bounds it.
    """
    try:
        status = await _asked(motor, session)
        while status is None or status.session == session:
            if status is not None and isinstance(status.termination, wire.Confirmed):
                return status.termination
            await trio.sleep(LOOK_S)
            try:
                status = await motor.status()
            except MotorTrouble:
                status = None
    except MotorLost:
        pass
    return None


async def _asked(motor: Motor, session: wire.SessionRef) -> wire.MotorStatus | None:
    with trio.move_on_after(ASK_S):
        try:
            return await motor.leave(session)
        except MotorTrouble:
            return None
    return None
