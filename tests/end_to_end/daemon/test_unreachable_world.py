"""A session that died while its world is away: the seat waits for it and plays on by itself."""

import os
import signal
from contextlib import AsyncExitStack
from pathlib import Path

from practice import practice_model, practice_world
from real_daemon import configure, real_daemon


async def test_a_crash_while_the_world_is_away_is_played_on_when_it_is_back(tmp_path: Path):
    async with practice_model() as model, AsyncExitStack() as away:
        world = await away.enter_async_context(practice_world(tmp_path))
        path = configure(tmp_path, world.address, model, "red", restart=["crashed"])
        async with real_daemon(path) as daemon:
            await daemon.join("red")
            await daemon.until_turns("red", 2)
            pid = await daemon.pid("red")
            world.process.kill()
            await world.process.wait()
            os.kill(pid, signal.SIGKILL)
            found = await daemon.until_seat("red", "recovery_required")
            assert found["detail"].endswith("; playctl recover red --force")
            assert found["restartIn"] is not None
            async with practice_world(tmp_path, "--speed", "200", "--listen", world.address):
                found = await daemon.until_seat("red", "running")
                assert (found["generation"], found["deaths"]) == (2, 1)
                assert (await daemon.stop("red"))["leave"] == "confirmed"
