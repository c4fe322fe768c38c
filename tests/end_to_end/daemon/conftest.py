"""The real daemon, real session processes, the practice world and the practice model."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from practice import practice_model, practice_world
from real_daemon import RealDaemon, configure, real_daemon

Played = Callable[..., AbstractAsyncContextManager[RealDaemon]]


@pytest.fixture
def played(tmp_path: Path) -> Played:
    """`played("red", "blue")`: a daemon with these seats in a practice world of its own.

    `world` and `model` are arguments of those two; everything else goes to `configure`.
    """

    @asynccontextmanager
    async def play(
        *seats: str,
        world: tuple[str, ...] = ("--speed", "200"),
        model: tuple[str, ...] = (),
        **settings: Any,
    ) -> AsyncGenerator[RealDaemon]:
        async with practice_world(tmp_path, *world) as there, practice_model(*model) as base_url:
            path = configure(tmp_path, there.address, base_url, *seats, **settings)
            async with real_daemon(path) as daemon:
                yield daemon

    return play
