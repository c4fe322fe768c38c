"""The daemon killed at any moment: nothing stays, nothing is lost, nothing is driven twice."""

import random
from pathlib import Path
from typing import Any

import pytest
import trio
from practice import practice_model, practice_world
from real_daemon import LIMIT, RealDaemon, Refused, at_once, configure, outcome_in, real_daemon

from kernel.journal.verify import verify

SEATS = ("red", "blue", "green")


def turns_in(lines: list[dict[str, Any]]) -> int:
    return sum(line["kind"] == "turn" for line in lines)


async def test_killed_while_three_play_it_leaves_no_process_and_loses_no_turn(
    played: Any, tmp_path: Path
):
    """Cases 1 and 27."""
    async with played(*SEATS) as first:
        joined = await at_once(*[lambda seat=seat: first.join(seat) for seat in SEATS])
        assert [answer["state"] for answer in joined] == ["running"] * 3
        for seat in SEATS:
            await first.until_turns(seat, 3)
        told = dict(first.turns)
        assert len(first.sessions_alive()) == 3
        await first.kill()
        await first.until_nobody_is_left(LIMIT)
        journals = first.journal_lines()
        by_session = {Path(path).stem: lines for path, lines in journals.items()}
        for answer in joined:
            (lines,) = [found for name, found in by_session.items() if answer["sessionId"] in name]
            assert turns_in(lines) >= told[answer["seat"]]
            assert outcome_in(lines) == "supervisor_lost"
        for path in journals:
            assert verify(Path(path)) == []

        async with real_daemon(tmp_path / "playd.toml") as second:
            assert [(await second.seat(seat))["state"] for seat in SEATS] == ["stale"] * 3
            assert second.sessions_alive() == []
            with pytest.raises(Refused, match="not_playing"):
                await second.stop("red")
            again = await second.join("red")
            assert (again["state"], again["generation"]) == ("running", 2)
            await second.until_turns("red", 2)
            for seat in ("blue", "green"):
                found = await second.seat(seat)
                assert found["state"] == "idle"
                assert found["session"]["state"] == "failed"
                assert found["session"]["outcome"] == "lease_lapsed"
                assert found["session"]["leave"] == "confirmed"
                assert "ended supervisor_lost by itself" in found["session"]["reason"]
                (lines,) = [
                    lines
                    for path, lines in journals.items()
                    if found["session"]["sessionId"] in path
                ]
                assert found["session"]["turnsTaken"] == turns_in(lines)
                settled = {line["callId"]: line for line in lines if line["kind"] == "usage"}
                charged = sum(line["charged"] for line in settled.values())
                assert found["session"]["budget"]["tokens"] == charged
            assert (await second.join("blue"))["generation"] == 2
            assert all(join["tookOver"] is None for join in second.chronicle("join"))
            assert await second.terminate() == 0
            for seat in ("red", "blue"):
                assert second.states(seat)[-1] == "stopped"


@pytest.mark.parametrize(
    ("world", "model", "phase"),
    [
        (("--speed", "200"), ("--misbehave", "late:600@chat=3+"), "deciding"),
        (("--speed", "1", "--misbehave", "slow:600@act=3"), (), "acting"),
    ],
    ids=["in a model call", "in an action"],
)
async def test_a_session_that_hangs_does_not_outlive_its_daemon(
    played: Any, world: tuple[str, ...], model: tuple[str, ...], phase: str
):
    """Case 6."""
    async with played("red", world=world, model=model) as daemon:
        await daemon.join("red")
        await daemon.until_turns("red", 2)
        await daemon.until_phase("red", phase)
        await daemon.kill()
        await daemon.until_nobody_is_left(LIMIT)  # what hangs would hang for ten minutes
        (lines,) = daemon.journal_lines().values()
        assert outcome_in(lines) == "supervisor_lost"
        turns = [line["turn"]["outcome"] for line in lines if line["kind"] == "turn"]
        assert turns[2:] in ([], ["interrupted"])


async def test_a_seat_whose_world_had_ended_is_not_played_again(played: Any, tmp_path: Path):
    """Case 15."""
    async with played("red", world=("--speed", "200", "--misbehave", "end@act=3")) as first:
        await first.join("red")
        await first.until(lambda: first.seats["red"]["state"] == "idle")
        await first.kill()
        async with real_daemon(tmp_path / "playd.toml") as second:
            found = await second.seat("red")
            assert (found["state"], found["session"]["outcome"]) == ("idle", "world_ended")
            assert second.states("red").count("claimed") == 1
            assert second.sessions_alive() == []


@pytest.mark.parametrize("kills", [12, pytest.param(50, marks=pytest.mark.long)])
async def test_killed_at_a_random_moment_of_a_join_it_leaves_nothing_over(
    tmp_path: Path, kills: int
):
    """Case 7."""
    chance = random.Random(kills)
    seats = [f"seat-{number}" for number in range(kills)]
    async with practice_world(tmp_path, "--speed", "200") as world, practice_model() as model:
        path = configure(tmp_path, world.address, model, *seats)
        for seat in seats:
            async with real_daemon(path, following=False) as daemon:
                assert daemon.sessions_alive() == []
                async with daemon.line() as line:
                    await line.send({"id": 1, "verb": "join", "params": {"seat": seat}})
                    await trio.sleep(chance.random() * 0.2)
                    await daemon.kill()
                await daemon.until_nobody_is_left(LIMIT)
        async with real_daemon(path, following=False) as last:
            joins = [await _joined_or_why(last, seat) for seat in seats[-6:]]
            assert set(joins) <= {"running", "lease_held"}
            held = joins.count("lease_held")
            assert len(last.sessions_alive()) == len(joins) - held
        taken_over = [join for join in daemon.chronicle("join") if join["tookOver"]]
        assert taken_over == [], "a seat was driven twice"


async def _joined_or_why(daemon: RealDaemon, seat: str) -> str:
    before = (await daemon.seat(seat))["generation"]
    try:
        joined = await daemon.join(seat)
    except Refused as refused:
        return refused.code
    assert joined["generation"] == before + 1
    return joined["state"]
