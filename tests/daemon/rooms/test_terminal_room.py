"""`playctl room tail`: one reads and types."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import trio


class Terminal:
    """A `playctl room tail parlour` that runs."""

    def __init__(self, process: trio.Process) -> None:
        self.process = process
        self.out = ""

    async def type(self, text: str) -> None:
        assert self.process.stdin is not None
        await self.process.stdin.send_all(text.encode())

    async def until(self, text: str, errors: bool = False) -> None:
        stream = self.process.stderr if errors else self.process.stdout
        assert stream is not None
        while text not in self.out:
            chunk = await stream.receive_some()
            assert chunk, self.out
            self.out += chunk.decode()


@asynccontextmanager
async def terminal(path: Any, *more: str) -> AsyncIterator[Terminal]:
    process = await trio.lowlevel.open_process(
        [sys.executable, "-m", "daemon.playctl", "room", "tail", "parlour", "--from", "ann", *more],
        env={**os.environ, "PLAYD_SOCKET": os.fspath(path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield Terminal(process)
    finally:
        process.kill()
        await process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            await stream.aclose()


async def test_one_reads_and_types_in_a_terminal_room(in_rooms: Any):
    with trio.fail_after(60):
        async with in_rooms("converses") as door, terminal(door.path) as one:
            await one.until("You are in room parlour.")
            await one.type("is anybody here?\n")
            await one.until("nobody plays in room parlour now", errors=True)
            await door.join()
            await one.until("red  speak: a door!\n")
            await one.until("red  notable: stuck: here again\n")
            await one.type("who\n\nwhat")
            await one.until("red  reply: ann said who\n")
            receipts = await door.receipts(3)
            assert {receipt.outcome for receipt in receipts} == {"played"}
            assert one.process.stdin is not None
            await one.process.stdin.aclose()
            assert await one.process.wait() == 0


async def test_the_daemons_end_ends_it(in_rooms: Any):
    with trio.fail_after(60):
        async with in_rooms("converses") as door:
            async with terminal(door.path, "--seat", "red") as one:
                await one.until("You are in room parlour.")
                door.closing.set()
                assert await one.process.wait() in (0, 3)


async def test_a_room_that_is_not_configured_is_refused_by_name(in_rooms: Any):
    with trio.fail_after(60):
        async with in_rooms("good") as door:
            done = await trio.run_process(
                [sys.executable, "-m", "daemon.playctl", "room", "tail", "attic"],
                env={**os.environ, "PLAYD_SOCKET": os.fspath(door.path)},
                capture_stderr=True,
                check=False,
            )
    assert done.returncode == 4
    assert b"attic" in done.stderr
