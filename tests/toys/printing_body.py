"""A body that writes where the protocol was: itself, as a library might, and through a child."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import trio
from toy_body import Corridor

from kernel.bodies import BodyKind
from kernel.body import Settled


class Printing(Corridor):
    """Prints at every action."""

    async def act(self, decision: Any, key: str, stopping: trio.Event) -> Settled[bool]:
        print('{"v":1,"kind":"ended"', end="", flush=True)
        os.write(1, b"\xff a library wrote this to descriptor 1\n")
        code = "print('a grandchild printed this', flush=True)"
        await trio.run_process([sys.executable, "-S", "-E", "-c", code])
        return await super().act(decision, key, stopping)


@asynccontextmanager
async def _opened() -> AsyncGenerator[Printing]:
    yield Printing()


KIND = BodyKind("printing", ("toy",), lambda _o, _s: _opened(), None, lambda: None)  # type: ignore[arg-type]
