"""Minecraft, played through an MCP motor that holds the bot."""

from __future__ import annotations

import msgspec

from kernel.bodies import BodyKind, register
from kernel.body import OpenBody, SessionSide
from kernel.journal.projection import JournalReading


def _open(options: msgspec.Raw, side: SessionSide) -> OpenBody:
    from bodies.minecraft.opening import open_body

    return open_body(options, side)


async def _recover(options: msgspec.Raw, recovery: str) -> bool:
    from bodies.minecraft.opening import settle_session

    return await settle_session(options, recovery)


def _reading() -> JournalReading:
    from bodies.minecraft.reading import MinecraftReading

    return MinecraftReading()


register(
    BodyKind(
        name="minecraft",
        environments=("minecraft",),
        open=_open,
        recover=_recover,
        reading=_reading,
    )
)
