"""Opens a body behind a motor from its options, and settles a session that an earlier one left."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import msgspec
import trio

from bodies.minecraft import recovery
from bodies.minecraft.adapter import MinecraftBody
from bodies.minecraft.motor.link import MotorLink
from bodies.minecraft.options import Options, UnusableMotor, usable_motor
from bodies.minecraft.stay import Stay
from kernel.body import JoinRefused, SessionSide
from kernel.undecodable import UNDECODABLE


@asynccontextmanager
async def open_body(options: msgspec.Raw, side: SessionSide) -> AsyncGenerator[MinecraftBody]:
    """A body that is not joined yet; its motor starts at the join and ends with this context.

    Raises JoinRefused for options that cannot be used.
    """
    known, motor = _options(options)
    async with trio.open_nursery() as nursery:
        link = MotorLink(motor, nursery)
        stay = Stay(link, known.profile, side, nursery)
        yield MinecraftBody(known.profile, side.conversation, link, stay)
        nursery.cancel_scope.cancel()


async def settle_session(options: msgspec.Raw, value: str) -> bool:
    """Ask the motor about a session; whether nothing of ours is in the game now."""
    _, motor = _options(options)
    return await recovery.settle(motor, value)


def _options(options: msgspec.Raw) -> tuple[Options, tuple[str, ...] | str]:
    try:
        known = msgspec.json.decode(options, type=Options)
        return known, usable_motor(known)
    except UNDECODABLE as wrong:
        raise JoinRefused("world_refused", f"the seat's options are wrong: {wrong}") from None
    except UnusableMotor as unusable:
        raise JoinRefused("world_refused", str(unusable)) from None
