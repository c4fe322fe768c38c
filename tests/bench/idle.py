"""What idle sessions cost: the supervisor with 100 of them, and a session process of each game."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import msgspec
import trio
from costs import cost_of, resident_mib
from figures import Figure, part
from playing import IDLE, daemon_with, play_all, seats_named
from practice import practice_model
from session_child import child, specification

from kernel.session.specification import BudgetCeiling
from kernel.session.wire import Phase

SESSIONS = 100
SECONDS = 60.0
PRACTICE = str(Path(sys.executable).parent / "playd-practice")
PROFILE = {"id": "bench", "host": "127.0.0.1", "port": 25565, "version": "1.20.1",
           "username": "Alex", "auth": "offline"}  # fmt: skip


async def measure() -> list[Figure]:
    """The supervisor's figures, and both games'."""
    return [*await _measure_hundred(), *await _measure_minecraft()]


async def _measure_hundred() -> list[Figure]:
    seats = seats_named(SESSIONS)
    async with daemon_with(seats, IDLE) as daemon:
        before = daemon.open_descriptors()
        await play_all(daemon, seats)
        cost = await cost_of(daemon.process.pid, SECONDS)
        processes = [await daemon.pid(seat) for seat in seats]
        pokemon = part([resident_mib(pid) for pid in processes], 1)

    def figure(name: str, measured: float, unit: str, goal: float) -> Figure:
        return Figure(bench="idle", name=name, measured=measured, unit=unit, at_most=goal)

    hundred = f"{SESSIONS} idle sessions"
    return [
        figure(f"{hundred}: `playd`", cost.core_percent, "% of a core", 2),
        figure(f"{hundred}: `playd`, resident", cost.resident_mib, "MiB", 60),
        figure(
            f"{hundred}: descriptors of `playd` a session",
            (cost.descriptors - before) / SESSIONS,
            "",
            5,
        ),
        figure("a Pokémon session process, resident, largest", pokemon, "MiB", 45),
    ]


async def _measure_minecraft() -> list[Figure]:
    """One session with the practice motor; it waits for a model that never answers."""
    with tempfile.TemporaryDirectory() as directory:
        async with practice_model(*IDLE) as base_url:
            options = {"motor": [PRACTICE, "motor"], "profile": PROFILE}
            start = specification(
                Path(directory),
                base_url,
                body="minecraft",
                options=msgspec.Raw(msgspec.json.encode(options)),
                budget=BudgetCeiling(tokens=None, max_turns=1),
            )
            async with child(start, toy=False) as session:
                await session.until(Phase, phase="deciding")
                await trio.sleep(1)  # the request to the model has left by then
                resident = resident_mib(session.process.pid)
    return [
        Figure(
            bench="idle",
            name="a Minecraft session process, resident",
            measured=resident,
            unit="MiB",
            at_most=85,
        )
    ]
