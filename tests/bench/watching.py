"""From a session's word that a turn is over to a `watch` subscriber, with 20 busy sessions.

The turn's own time of day is compared with the subscriber's, on the same machine. It has whole
milliseconds, to the nearest.
"""

from __future__ import annotations

import time
from datetime import datetime

import trio
from figures import Figure, part
from playing import BUSY, daemon_with, play_all, seats_named
from real_daemon import RealDaemon

SESSIONS = 20
SECONDS = 45.0


async def measure() -> list[Figure]:
    seats = seats_named(SESSIONS)
    late: list[float] = []
    async with daemon_with(seats, BUSY) as daemon:
        await play_all(daemon, seats)
        with trio.move_on_after(SECONDS):
            await _watch(daemon, late)
    return [
        Figure(
            bench="watch",
            name=f"a turn to a `watch` subscriber, {SESSIONS} busy sessions, p99",
            measured=part(late, 0.99),
            unit="ms",
            at_most=5,
        ),
        Figure(bench="watch", name="the same, median", measured=part(late, 0.5), unit="ms"),
        Figure(bench="watch", name="turns that were seen", measured=len(late), unit=""),
    ]


async def _watch(daemon: RealDaemon, late: list[float]) -> None:
    async with daemon.line() as line:
        await line.send({"id": 1, "verb": "watch"})
        while (told := await line.receive()) is not None:
            event = told["event"]
            if event["kind"] == "turn":
                said = datetime.fromisoformat(event["card"]["at"]).timestamp()
                late.append((time.time() - said) * 1000)
