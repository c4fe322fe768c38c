"""The daemon killed at any moment: nothing stays, nothing is lost, nothing is driven twice."""

import random
from pathlib import Path
from typing import Any

import pytest
import trio
from practice import practice_model, practice_world
from real_daemon import RealDaemon, Refused, at_once, configure, real_daemon

from kernel.journal.verify import verify

SEATS = ("red", "blue", "green")


def turns_in(lines: list[dict[str, Any]]) -> int:
    return sum(line["kind"] == "turn" for line in lines)


async def test_killed_while_three_play_it_leaves_no_process_and_loses_no_turn(
    played: Any, tmp_path: Path
):
    async with played(*SEATS) as first:
        joined = await at_once(*[lambda seat=seat: first.join(seat) for seat in SEATS])
        assert [answer["state"] for answer in joined] == ["running"] * 3
        for seat in SEATS:
            await first.until_turns(seat, 3)
        told = dict(first.turns)
        assert len(first.sessions_alive()) == 3
        await first.kill()
        await first.until_nobody_is_left(5)
        journals = first.journal_lines()
        by_session = {Path(path).stem: lines for path, lines in journals.items()}
        for answer in joined:
            (lines,) = [
                found for name, found in by_session.items() if answer["sessionId"] in name
            ]
            assert turns_in(lines) >= told[answer["seat"]]
            assert lines[-1]["kind"] == "summary"
            assert lines[-1]["outcome"] == "supervisor_lost"
        for path in journals:
            assert verify(Path(path)) == []

        async with real_daemon(tmp_path / "playd.toml") as second:
            assert [(await second.seat(seat))["state"] for seat in SEATS] == ["stale"] * 3
            assert second.sessions_alive() == []
            again = await second.join("red")
            assert (again["state"], again["generation"]) == ("running", 2)
            await second.until_turns("red", 2)
            for seat in ("blue", "green"):
                found = await second.seat(seat)
                assert found["state"] == "recovery_required"
                assert found["session"]["state"] == "failed"
                assert found["session"]["outcome"] == "lease_lapsed"
            assert (await second.join("blue"))["generation"] == 2
            assert await second.terminate() == 0
            for seat in ("red", "blue"):
                assert second.states(seat)[-1] == "stopped"
