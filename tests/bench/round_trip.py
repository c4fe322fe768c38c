"""From a request on the control socket to its answer, with one idle session."""

from __future__ import annotations

import trio
from figures import Figure, part
from playing import IDLE, asker, daemon_with, play_all, seats_named

SECONDS = 5.0


async def measure() -> list[Figure]:
    seats = seats_named(1)
    figures: list[Figure] = []
    async with daemon_with(seats, IDLE) as daemon:
        await play_all(daemon, seats)
        for verb in ("hello", "status"):
            times: list[float] = []
            with trio.move_on_after(SECONDS):
                await asker(daemon, verb, times, 0.001)()
            for name, share in (("median", 0.5), ("p99", 0.99)):
                figures.append(
                    Figure(
                        bench="round-trip",
                        name=f"`{verb}` over the control socket, {name}",
                        measured=part(times, share),
                        unit="ms",
                    )
                )
    return figures
