"""What busy sessions cost the supervisor, and how quick its answers stay."""

from __future__ import annotations

import trio
from costs import cost_of
from figures import Figure, part
from playing import BUSY, asker, daemon_with, play_all, seats_named

SECONDS = 30.0
EVERY = 0.05


async def measure_busy() -> list[Figure]:
    """With 20 sessions."""
    return await _measure("busy", 20, None, None)


async def measure_fifty() -> list[Figure]:
    """With 50 sessions."""
    return await _measure("fifty", 50, 10, 50)


async def _measure(
    bench: str, sessions: int, core_percent: float | None, status_p99: float | None
) -> list[Figure]:
    seats = seats_named(sessions)
    starting: list[float] = []
    playing: list[float] = []
    async with daemon_with(seats, BUSY) as daemon:
        async with trio.open_nursery() as asking:
            asking.start_soon(asker(daemon, "status", starting, EVERY))
            await play_all(daemon, seats)
            asking.cancel_scope.cancel()
        cost = await cost_of(daemon.process.pid, SECONDS)  # before the questions below
        async with trio.open_nursery() as asking:
            asking.start_soon(asker(daemon, "status", playing, EVERY))
            await trio.sleep(SECONDS)
            asking.cancel_scope.cancel()

    def figure(name: str, measured: float, unit: str, goal: float | None = None) -> Figure:
        return Figure(
            bench=bench,
            name=f"{sessions} busy sessions: {name}",
            measured=measured,
            unit=unit,
            at_most=goal,
        )

    return [
        figure("`playd`", cost.core_percent, "% of a core", core_percent),
        figure("`playd`, resident", cost.resident_mib, "MiB"),
        figure("`status`, median", part(playing, 0.5), "ms"),
        figure("`status`, p99", part(playing, 0.99), "ms", status_p99),
        figure("`status` while they start, median", part(starting, 0.5), "ms"),
        figure("`status` while they start, p99", part(starting, 0.99), "ms"),
    ]
