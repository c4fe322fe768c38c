"""A ceiling belongs to the sitting: restarts do not multiply it, and a change holds at once."""

from typing import Any

import pytest
from real_daemon import RealDaemon

CEILING = 50_000
RESERVE = 16_000
"""What a call of unknown usage is charged, and more than any other call here."""


def charged(daemon: RealDaemon) -> int:
    """The bill by the journals alone: settled calls, and the reserves of those that never did."""
    total = 0
    for lines in daemon.journal_lines().values():
        calls = {line["callId"]: line["charged"] for line in lines if line["kind"] == "usage"}
        total += sum(calls.values())  # of a call's two lines the later one stands
    return total


async def _plays_on(daemon: RealDaemon) -> bool:
    """Wait for two turns; False: the sitting is over."""
    goal = daemon.turns["red"] + 2
    await daemon.until(
        lambda: daemon.turns["red"] >= goal or daemon.seats["red"]["state"] == "idle"
    )
    return daemon.seats["red"]["state"] != "idle"


@pytest.mark.parametrize("crashes", [2, pytest.param(5, marks=pytest.mark.long)])
async def test_a_seat_that_crashes_again_and_again_stops_at_the_ceiling(played: Any, crashes: int):
    async with played("red", restart=["crashed"]) as daemon:
        await daemon.join("red", budget={"tokens": CEILING})
        crashed = 0
        while crashed < crashes and await _plays_on(daemon):
            await daemon.crash("red")
            await daemon.until_seat("red", "restarting")
            crashed += 1
        found = await daemon.until_seat("red", "idle")
        assert crashed >= 2
        assert found["session"]["outcome"] == "budget_exhausted"
        assert len(daemon.journal_lines()) == crashed + 1
        assert CEILING <= charged(daemon) < CEILING + RESERVE
        assert found["session"]["leave"] == "confirmed"


async def test_a_lower_ceiling_ends_a_running_session_between_two_calls(played: Any):
    async with played("red") as daemon:
        await daemon.join("red")
        await daemon.until_turns("red", 3)
        changed = await daemon.ask("budget", seat="red", change={"tokens": 1000})
        assert changed["ceiling"]["tokens"] == 1000
        found = await daemon.until_seat("red", "idle")
        assert found["session"]["outcome"] == "budget_exhausted"
        (lines,) = daemon.journal_lines().values()
        settled = [line for line in lines if line["kind"] == "usage" and line["stage"] == "settled"]
        assert all(line["reported"] for line in settled), "no call was cut off by the change"
        # The seat's own ceiling is another one, and the next sitting starts from nothing.
        assert (await daemon.ask("budget", seat="red"))["ceiling"]["tokens"] == 100_000_000
        assert (await daemon.join("red"))["state"] == "running"


async def test_a_higher_ceiling_lets_a_running_session_go_on(played: Any):
    async with played("red") as daemon:
        await daemon.join("red", budget={"maxTurns": 5})
        await daemon.ask("budget", seat="red", change={"maxTurns": 12})
        found = await daemon.until_seat("red", "idle")
        assert (found["session"]["outcome"], found["session"]["turnsTaken"]) == ("finished", 12)
