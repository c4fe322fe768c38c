"""From the spawn of a session process to its `hello`, with nothing else going on."""

from __future__ import annotations

import time

import trio
from figures import Figure, part

from daemon.children import Children
from daemon.opening import SESSION_COMMAND
from daemon.process_table import Census
from kernel.session.wire import Hello, from_session_decoder

ROUNDS = 20


async def measure() -> list[Figure]:
    await _spawn_once()  # brings its files into memory
    times = [await _spawn_once() for _ in range(ROUNDS)]
    return [
        Figure(
            bench="spawn",
            name="a session process alone, from spawn to `hello`, median",
            measured=part(times, 0.5),
            unit="ms",
            at_most=350,
        ),
        Figure(
            bench="spawn",
            name="the same, slowest of 20",
            measured=part(times, 1),
            unit="ms",
        ),
    ]


async def _spawn_once() -> float:
    began = time.perf_counter()
    children = Children(Census())
    spawned = await children.start(SESSION_COMMAND, "bench")
    assert spawned.stdin is not None
    assert spawned.stdout is not None
    assert spawned.stderr is not None
    async with (
        trio.lowlevel.FdStream(spawned.stdin) as stdin,
        trio.lowlevel.FdStream(spawned.stdout) as stdout,
        trio.lowlevel.FdStream(spawned.stderr),
    ):
        said = b""
        while not said.endswith(b"\n"):
            said += await stdout.receive_some()
        took = (time.perf_counter() - began) * 1000
        assert isinstance(from_session_decoder.decode(said), Hello)
        await stdin.aclose()  # without a specification it exits at once
        await trio.lowlevel.wait_readable(spawned.pidfd)
    children.reap(spawned)
    return took
