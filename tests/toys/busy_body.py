"""A body whose first action never comes back: it and a thread of it keep the processor busy."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import trio
from toy_body import Corridor

from kernel.bodies import BodyKind
from kernel.body import Joined, Settled


class Busy(Corridor):
    """Its motor has a session of its own."""

    async def join(self) -> Joined:
        motor = await trio.lowlevel.open_process(["sleep", "600"], start_new_session=True)
        return Joined("busy", "busy-session", "busy:journey", "local", "busy", (motor.pid,))

    async def act(self, decision: Any, key: str, stopping: trio.Event) -> Settled[bool]:
        threading.Thread(target=_spin, daemon=True).start()
        _spin()
        raise AssertionError


def _spin() -> None:
    while True:
        pass


@asynccontextmanager
async def _opened() -> AsyncGenerator[Busy]:
    yield Busy()


KIND = BodyKind("busy", ("busy",), lambda _o, _s: _opened(), None, lambda: None)  # type: ignore[arg-type]
