"""The practice world as its own process, with its own log of what it saw."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import trio


@dataclass(frozen=True)
class PracticeWorld:
    """`address` speaks the seat's wire; `log` is the world's own record."""

    address: str
    log: Path
    process: trio.Process

    def options(self, **changes: Any) -> msgspec.Raw:
        """What a session of the seat is told about this world."""
        seat = {
            "address": self.address,
            "game": "firered",
            "displayName": "Bo",
            "credential": "key-of-bo",
        }
        return msgspec.Raw(msgspec.json.encode(seat | changes))

    def acts(self) -> list[dict[str, Any]]:
        """Every `play.act` that reached the world, in its own words."""
        lines = [msgspec.json.decode(line) for line in self.log.read_bytes().splitlines()]
        return [line for line in lines if line["kind"] == "act"]


async def _ready_line(process: trio.Process) -> str:
    assert process.stdout is not None
    ready = b""
    with trio.fail_after(60):
        while not ready.endswith(b"\n"):
            ready += await process.stdout.receive_some()
    return ready.decode().split()[1]


@asynccontextmanager
async def practice_model(*arguments: str) -> AsyncGenerator[str]:
    """A practice model on a free port; gives its base URL."""
    process = await trio.lowlevel.open_process(
        [
            str(Path(sys.executable).parent / "playd-practice"), "model", "--until-stdin-closes",
            *arguments,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield await _ready_line(process)
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()


@asynccontextmanager
async def practice_world(directory: Path, *arguments: str) -> AsyncGenerator[PracticeWorld]:
    """A world on a free port, ended with the test; `arguments` go to its command."""
    log = directory / "world.jsonl"
    process = await trio.lowlevel.open_process(
        [
            str(Path(sys.executable).parent / "playd-practice"), "world",
            "--state", str(directory / "world"), "--journal", str(log), "--until-stdin-closes",
            *(arguments or ("--speed", "200")),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield PracticeWorld(await _ready_line(process), log, process)
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()
