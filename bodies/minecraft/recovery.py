"""Lets a later process ask a motor whether an earlier session's bot is still in the game."""

from __future__ import annotations

from typing import Final

import msgspec
import trio

from bodies.minecraft import wire
from bodies.minecraft.farewell import ask_to_leave
from bodies.minecraft.motor.link import MotorLink
from bodies.minecraft.motor.motor import MotorLost, MotorTrouble
from kernel.undecodable import UNDECODABLE

SETTLE_S: Final = 30.0
"""For all of it, the motor's start included."""


def recovery_value(session: wire.SessionRef) -> str:
    """What settle() needs of a session; opaque to everybody else."""
    return msgspec.json.encode(session).decode()


async def settle(motor: tuple[str, ...] | str, recovery: str) -> bool:
    """Whether the motor confirms that this very session is over; asks it to leave if it is not.

    A motor that was started anew holds no session, and that proves nothing: not settled.
    """
    try:
        session = msgspec.json.decode(recovery, type=wire.SessionRef)
    except UNDECODABLE:
        return False
    confirmed = False
    async with trio.open_nursery() as nursery:
        with trio.move_on_after(SETTLE_S):
            confirmed = await _confirmed(MotorLink(motor, nursery), session)
        nursery.cancel_scope.cancel()
    return confirmed


async def _confirmed(link: MotorLink, session: wire.SessionRef) -> bool:
    try:
        motor = await link.open()
        status = await motor.status()
    except (MotorLost, MotorTrouble):
        return False
    if status.session != session:
        return False
    if isinstance(status.termination, wire.Confirmed):
        return True
    return await ask_to_leave(motor, session) is not None
