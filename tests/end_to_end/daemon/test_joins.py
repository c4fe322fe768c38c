"""Many joins, many sessions: one driver a seat, and everyone plays."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
import trustme
from practice import practice_world
from real_daemon import RealDaemon, Refused, at_once, configure, real_daemon


async def test_of_twenty_joins_at_once_one_gets_the_seat(played: Any):
    told: list[str] = []

    async def twice(daemon: RealDaemon) -> None:
        async with daemon.line() as line:
            for id in (1, 2):
                await line.send({"id": id, "verb": "join", "params": {"seat": "red"}})
            answers = [await line.receive(), await line.receive()]
        told.extend(a["result"]["state"] if a["ok"] else a["error"]["code"] for a in answers if a)

    async with played("red") as daemon:
        await at_once(*[partial(twice, daemon)] * 10)
        assert sorted(told) == ["play_session_active"] * 19 + ["running"]
        await daemon.until_turns("red", 2)
        assert len(daemon.sessions_alive()) == 1
        assert len(daemon.chronicle("join")) == 1
        assert daemon.states("red") == ["claimed", "starting", "running"]


@pytest.mark.parametrize("many", [5, pytest.param(50, marks=pytest.mark.long)])
async def test_all_play_at_once_and_the_daemon_answers(played: Any, many: int):
    seats = [f"seat-{number}" for number in range(many)]
    world = ("--speed", "200", "--seats", str(many))
    model = ("--latency", "1") if many > 5 else ()
    async with played(*seats, world=world, model=model) as daemon:
        async with daemon.line() as line, trio.open_nursery() as nursery:
            for seat in seats:
                await line.ask("join", seat=seat, wait=0)
            nursery.start_soon(_ask_all_the_time, daemon)
            await daemon.until(lambda: all(daemon.turns[seat] >= 3 for seat in seats))
            nursery.cancel_scope.cancel()
        assert len(daemon.sessions_alive()) == many
        assert (await daemon.ask("drain"))["stopped"] == many
        assert await daemon.process.wait() == 0
        assert {daemon.states(seat)[-1] for seat in seats} == {"stopped"}


async def _ask_all_the_time(daemon: RealDaemon) -> None:
    async with daemon.line() as line:
        while True:
            assert (await line.ask("status"))["draining"] is False
            await trio.sleep(0.05)  # as often as an impatient person's script


@pytest.mark.parametrize("cycles", [4, pytest.param(60, marks=pytest.mark.long)])
async def test_crash_after_crash_costs_the_daemon_no_descriptor(played: Any, cycles: int):
    """Case 35."""
    async with played("red") as daemon:
        held: list[int] = []
        for _ in range(cycles):
            await daemon.join("red")
            await daemon.until_more_turns("red", 1)
            await daemon.ask("reset", seat="red")
            await daemon.crash("red")
            await daemon.until_seat("red", "recovery_required")
            held.append(daemon.open_descriptors())
        # The first cycles open what is kept.
        assert held[-1] <= held[1]


async def test_a_body_that_was_joined_and_not_given_back_is_no_free_seat(tmp_path: Path):
    authority = tmp_path / "authority"
    trustme.CA().cert_pem.write_to_path(str(authority))
    async with practice_world(tmp_path, "--misbehave", "stall:30@leave=1") as there:
        more = f'ca_file = "{authority}"'
        path = configure(tmp_path, there.address, "https://127.0.0.1:9", "red", more=more)
        async with real_daemon(path) as daemon:
            authority.unlink()
            with pytest.raises(Refused, match="ca_file"):
                await daemon.join("red")
            seat = await daemon.until_seat("red", "recovery_required")
            assert seat["session"]["leave"] == "unconfirmed"
            assert (await daemon.ask("recover", seat="red"))["outcome"] == "settled"
            assert (await daemon.seat("red"))["state"] == "idle"
