"""A real supervisor behind a real socket, and `playctl` as a process of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    redirect_stderr,
    redirect_stdout,
)
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio

from daemon.control.listening import listen_at, take_away
from daemon.control.server import serve
from daemon.playctl.main import run


@dataclass
class Ended:
    code: int
    out: str
    err: str

    def json(self) -> Any:
        return msgspec.json.decode(self.out)


async def run_playctl(*arguments: str, **environ: str) -> Ended:
    done = await trio.run_process(
        [sys.executable, "-m", "daemon.playctl", *arguments],
        env={**os.environ, **environ},
        capture_stdout=True,
        capture_stderr=True,
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def playctl() -> Any:
    return run_playctl


@dataclass
class Daemon:
    path: Path
    supervisor: Any
    closing: trio.Event

    async def __call__(self, *arguments: str) -> Ended:
        """One command against this daemon, without the cost of a process."""
        return await trio.to_thread.run_sync(_run, ["--socket", os.fspath(self.path), *arguments])


def _run(arguments: list[str]) -> Ended:
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = run(arguments)
    return Ended(code, out.getvalue(), err.getvalue())


@pytest.fixture
def daemon(tmp_path: Path, opened: Any) -> Callable[..., AbstractAsyncContextManager[Daemon]]:
    """`daemon("good")`: a daemon whose sessions behave well, and `playctl` with its socket."""

    @asynccontextmanager
    async def open_one(behaviour: str, argument: object = "", **more: Any) -> AsyncIterator[Daemon]:
        path = tmp_path / "control.sock"
        closing = trio.Event()
        async with opened(behaviour, argument, **more) as one:
            listener = listen_at(path)
            try:
                with trio.fail_after(60):
                    async with trio.open_nursery() as nursery:
                        nursery.start_soon(
                            serve, listener, one.supervisor, None, lambda verb, code: None, closing
                        )
                        yield Daemon(path, one.supervisor, closing)
                        nursery.cancel_scope.cancel()
            finally:
                take_away(listener, path)

    return open_one
