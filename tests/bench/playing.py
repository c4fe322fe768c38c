"""The real daemon with real sessions of the practice world, as every bench of the daemon has it.

An *idle* session has joined its world and waits for a model that never answers. A *busy* one plays
at the world's own speed with a model that takes a second, which is quicker than most.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import trio
from practice import practice_model, practice_world
from real_daemon import RealDaemon, configure, real_daemon

IDLE = ("--misbehave", "late:600@chat=1+")
BUSY = ("--latency", "1")
START_LIMIT = 300.0
"""Seconds until all that were asked for must run."""


def seats_named(many: int) -> list[str]:
    return [f"seat-{number}" for number in range(many)]


@asynccontextmanager
async def daemon_with(
    seats: Sequence[str], model: Sequence[str], *, following: bool = False
) -> AsyncGenerator[RealDaemon]:
    """A daemon that knows these seats and plays none yet; drained at the end."""
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        world = ("--speed", "1", "--seats", str(len(seats)))
        async with practice_world(folder, *world) as there, practice_model(*model) as base_url:
            patient = "deadline = 600\nstall = 600"
            path = configure(folder, there.address, base_url, *seats, more=patient)
            async with real_daemon(path, following=following) as daemon:
                yield daemon
                await daemon.terminate()


async def play_all(daemon: RealDaemon, seats: Sequence[str]) -> None:
    """Ask for every seat at once, and return when all of them run."""
    async with daemon.line() as line:
        for seat in seats:
            await line.ask("join", seat=seat, wait=0)
    waiting = set(seats)
    with trio.fail_after(START_LIMIT):
        while waiting:
            await trio.sleep(0.1)
            waiting -= await _running(daemon)


async def stop_all(daemon: RealDaemon, seats: Sequence[str]) -> None:
    """Stop every seat, at the same time."""
    async with daemon.line() as line:
        for number, seat in enumerate(seats):
            await line.send({"id": number, "verb": "stop", "params": {"seat": seat}})
        for _ in seats:
            assert await line.receive() is not None


async def _running(daemon: RealDaemon) -> set[str]:
    found: set[str] = set()
    async with daemon.line() as line:
        after, more = None, True
        while more:  # a list is as long as a line allows
            page = await line.ask("seats", after=after)
            seats, more = page["seats"], page["more"]
            found |= {seat["seat"] for seat in seats if seat["state"] == "running"}
            after = seats[-1]["seat"] if seats else None
    return found


def asker(daemon: RealDaemon, verb: str, times: list[float], every: float):
    """A task that asks again and again on one connection, and notes how long each answer took.

    `times` is in milliseconds. The first answer is not noted.
    """
    return partial(_ask_on, daemon, verb, times, every)


async def _ask_on(daemon: RealDaemon, verb: str, times: list[float], every: float) -> None:
    async with daemon.line() as line:
        await line.ask(verb)
        while True:
            began = trio.current_time()
            await line.ask(verb)
            times.append((trio.current_time() - began) * 1000)
            await trio.sleep(every)
