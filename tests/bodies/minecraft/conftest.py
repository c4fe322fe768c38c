"""A scripted motor as a program, as tools in memory, and a body that plays through the former."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import msgspec
import pytest
import scripted_motor
import trio
from scripted_motor import ScriptedMotor

from bodies.minecraft.adapter import MinecraftBody
from bodies.minecraft.motor.motor import MotorLost
from bodies.minecraft.motor.tools import ToolAnswer
from bodies.minecraft.opening import open_body
from kernel.controls import Controls
from kernel.session.side import Side
from kernel.world_events import LatestEvent

PROFILE = {"id": "garden", "host": "127.0.0.1", "port": 25565, "version": "1.20.1",
           "username": "Alex", "auth": "offline"}  # fmt: skip

OpenBody = Callable[..., AbstractAsyncContextManager[MinecraftBody]]


class MemoryTools:
    """The scripted motor's tools without a process, for tests that own the clock."""

    def __init__(self, script: dict[str, Any]) -> None:
        self.motor = ScriptedMotor(script)
        self.motor.do_join({"session": {"sessionId": "s", "connectionGeneration": 1}})

    @property
    def called(self) -> list[str]:
        return [tool for tool, _ in self.motor.calls]

    async def call(self, name: str, arguments: dict[str, Any], seconds: float) -> ToolAnswer:
        step = self.motor.step(name)
        await trio.lowlevel.checkpoint()
        if "exit" in step:
            raise MotorLost("the motor's process ended")
        if "hang" in step:
            await trio.sleep_forever()
        await trio.sleep(step.get("late", 0))
        result = self.motor.result(name, arguments, step)
        text = result["content"][0]["text"]
        return ToolAnswer(text, result.get("structuredContent"), result.get("isError", False))


@pytest.fixture
def memory_tools() -> Callable[[dict[str, Any]], MemoryTools]:
    return MemoryTools


def options_for(script: dict[str, Any], **others: Any) -> msgspec.Raw:
    motor = [sys.executable, "-S", "-E", scripted_motor.__file__, json.dumps(script)]
    return msgspec.Raw(msgspec.json.encode({"motor": motor, "profile": PROFILE, **others}))


@pytest.fixture
def options() -> Callable[..., msgspec.Raw]:
    """Options of a seat whose motor is the scripted one."""
    return options_for


@pytest.fixture
def events() -> LatestEvent:
    return LatestEvent(lambda: None)


@pytest.fixture
def side(events: LatestEvent) -> Side:
    return Side("tavern", events, Controls())


@pytest.fixture
def opened(side: Side) -> OpenBody:
    """Opens a body over a scripted motor process; not joined."""

    @asynccontextmanager
    async def open_one(script: dict[str, Any] | None = None) -> AsyncIterator[MinecraftBody]:
        with trio.fail_after(60):
            async with open_body(options_for(script or {}), side) as body:
                yield body

    return open_one
