"""One daemon after another over the same state directory, whatever ends each of them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trio
from real_daemon import DidNotStart, HungUp, RealDaemon, Refused, start_daemon
from story import Story
from watching import Watching

_CONFIGURATION = 5
"""The exit code of a daemon whose configuration is wrong."""
_AGAIN_AFTER = 1.0
"""Seconds after which a daemon that did not start, for a full disk, is tried again."""


@dataclass
class Lives:
    """The daemon of this moment, if there is one."""

    configuration: Path
    story: Story
    watching: Watching = field(default_factory=Watching)
    daemon: RealDaemon | None = None
    descriptors_at_rest: int = 0
    """Of this life: when it answered and nobody had joined."""
    pause: float = 0.0
    """Seconds from the end of this life to the next one."""
    over: bool = False
    """This life is the last."""
    exit_code: int | None = None
    """Of the latest life that ended."""

    async def live(self) -> None:
        """Keep one up until it is over; then end it by SIGTERM."""
        while not self.over:
            try:
                daemon = await start_daemon(self.configuration)
            except DidNotStart as error:
                code, log = error.args
                self.story.tell("the daemon did not start", code=code)
                if code == _CONFIGURATION:
                    raise AssertionError(log) from error
                await trio.sleep(_AGAIN_AFTER)
                continue
            self.descriptors_at_rest = daemon.open_descriptors()
            self.story.tell("the daemon is up", pid=daemon.process.pid)
            self.daemon = daemon
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._follow, daemon)
                    self.exit_code = await daemon.process.wait()
                    nursery.cancel_scope.cancel()
            finally:
                with trio.CancelScope(shield=True):
                    await daemon.kill()
            self.daemon = None
            self.story.tell("the daemon is gone", code=self.exit_code)
            await trio.sleep(self.pause)
            self.pause = 0.0

    async def ask(self, verb: str, **params: Any) -> dict[str, Any] | str:
        """The daemon's answer, or why there is none: its code, or `nobody`."""
        if self.daemon is None:
            await trio.lowlevel.checkpoint()
            return "nobody"
        try:
            return await self.daemon.ask(verb, **params)
        except Refused as refused:
            return refused.code
        except (OSError, HungUp, trio.BrokenResourceError, trio.TooSlowError):
            return "nobody"

    async def _follow(self, daemon: RealDaemon) -> None:
        with suppress(OSError, trio.BrokenResourceError):
            await self.watching.follow(daemon)
