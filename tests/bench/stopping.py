"""From the request to stop an idle session to the answer: farewell, summary and exit included."""

from __future__ import annotations

import trio
from figures import Figure, part
from playing import IDLE, daemon_with, play_all, seats_named

SEATS = 20
ROUNDS = 5


async def measure() -> list[Figure]:
    seats = seats_named(SEATS)
    times: list[float] = []
    async with daemon_with(seats, IDLE) as daemon, daemon.line() as line:
        for _ in range(ROUNDS):
            await play_all(daemon, seats)
            for seat in seats:
                began = trio.current_time()
                await line.ask("stop", seat=seat)
                times.append((trio.current_time() - began) * 1000)
    return [
        Figure(
            bench="stop",
            name="stop of an idle session, p99",
            measured=part(times, 0.99),
            unit="ms",
            at_most=250,
        ),
        Figure(bench="stop", name="the same, median", measured=part(times, 0.5), unit="ms"),
    ]
