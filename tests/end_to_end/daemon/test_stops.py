"""A stop in whatever a session is at: over within its deadline, and its summary is written."""

import os
import signal
from functools import partial
from typing import Any

import pytest
import trio
from real_daemon import LIMIT, RealDaemon, at_once, outcome_in

FAST = ("--speed", "200")


def stalling_joins(many: int) -> list[str]:
    """Arguments of a world that leaves so many joins without an answer."""
    return [f"--misbehave=stall:600@join={nth}" for nth in range(1, many + 1)]


@pytest.mark.parametrize(
    ("world", "model", "moment", "leave"),
    [
        (FAST, (), "deciding", "confirmed"),
        (FAST, ("--misbehave", "late:600@chat=3+"), "deciding", "confirmed"),
        (FAST, ("--misbehave", "stall-midway:600@chat=3"), "deciding", "confirmed"),
        (FAST, ("--misbehave", "status:500@chat=3+"), "pacing", "confirmed"),
        (("--speed", "1", "--misbehave", "slow:600@act=3"), (), "slow:600", "confirmed"),
        (("--speed", "200", "--misbehave", "mute@act=3"), (), "mute", "unconfirmed"),
    ],
    ids=["playing", "call hangs", "answer stalls", "backs off", "action hangs", "world is mute"],
)
async def test_a_stop_is_over_by_its_deadline_and_sums_up(
    played: Any, world: tuple[str, ...], model: tuple[str, ...], moment: str, leave: str
):
    async with played("red", world=world, model=model, stop_deadline=7) as daemon:
        await daemon.join("red")
        await daemon.until_turns("red", 2)
        if moment in ("deciding", "pacing"):
            await daemon.until_phase("red", moment)
        else:  # phase acting is told before the world is asked, and a stop in between acts nothing
            await daemon.until_misbehaved(moment)
        stopped = await daemon.stop("red")
        # Past its deadline it would be failed, stop_deadline.
        assert (stopped["state"], stopped["outcome"]) == ("stopped", "stopped")
        assert stopped["leave"] == leave
        assert daemon.sessions_alive() == []
        (lines,) = daemon.journal_lines().values()
        assert outcome_in(lines) == "stopped"
        assert daemon.states("red") == ["claimed", "starting", "running", "stopping", "stopped"]


async def test_a_stop_at_any_moment_of_a_hanging_join_ends_it(played: Any):
    moments = {f"seat-{number}": number * 0.4 for number in range(8)}

    async def join_and_stop(daemon: RealDaemon, seat: str) -> dict[str, Any]:
        assert (await daemon.join(seat, wait=moments[seat]))["state"] == "pending"
        return await daemon.stop(seat)

    world = (*FAST, *stalling_joins(len(moments)))
    async with played(*moments, world=world, stop_deadline=7) as daemon:
        stopped = await at_once(*[partial(join_and_stop, daemon, seat) for seat in moments])
        ends = {(end["state"], end["outcome"]) for end in stopped}
        assert ends <= {("stopped", "stopped"), (None, None)}, "None: nothing was claimed yet"
        assert daemon.sessions_alive() == []


async def test_a_session_that_answers_no_signal_is_killed_and_its_body_recovered(played: Any):
    async with played("red", stop_deadline=5) as daemon:
        await daemon.join("red")
        await daemon.until_turns("red", 2)
        os.kill(await daemon.pid("red"), signal.SIGSTOP)
        stopped = await daemon.stop("red")
        assert (stopped["state"], stopped["outcome"]) == ("failed", "stop_deadline")
        assert (stopped["leave"], stopped["survivors"]) == ("unconfirmed", [])
        (lines,) = daemon.journal_lines().values()
        assert outcome_in(lines) is None
        assert (await daemon.seat("red"))["state"] == "recovery_required"
        again = await daemon.join("red")
        assert (again["state"], again["generation"]) == ("running", 2)
        assert all(join["tookOver"] is None for join in daemon.chronicle("join"))


async def test_a_stop_while_it_waits_to_play_again_starts_nothing_later(played: Any):
    """Case 8."""
    async with played("red", restart=["crashed"]) as daemon:
        await daemon.join("red")
        for _ in range(2):
            await daemon.crash("red")
            await daemon.until_seat("red", "restarting")
            if daemon.states("red").count("claimed") == 1:
                await daemon.until_seat("red", "running")
        waiting = (await daemon.seat("red"))["restartIn"]
        stopped = await daemon.stop("red")
        assert stopped["sessionId"] is None
        assert "cancelled" in stopped["detail"]
        await trio.sleep(waiting + 0.5)  # nothing tells that nothing happens
        assert (await daemon.seat("red"))["state"] == "recovery_required"
        assert daemon.states("red").count("claimed") == 2


async def test_what_a_person_stops_and_joins_three_times_policy_leaves_alone(played: Any):
    """Case 9."""
    async with played("red", restart=["crashed", "hung", "protocol_error"]) as daemon:
        for _ in range(3):
            await daemon.join("red")
            await daemon.stop("red")
        found = await daemon.seat("red")
        assert (found["state"], found["deaths"], found["restartIn"]) == ("idle", 0, None)
        assert daemon.states("red").count("claimed") == 3


@pytest.mark.parametrize(("many", "alive"), [(6, 6), pytest.param(50, 30, marks=pytest.mark.long)])
async def test_sigterm_while_sessions_are_slow_to_join_ends_them_all(
    played: Any, many: int, alive: int
):
    """Case 10. Of many, the last still wait for their start when the first are joining."""
    seats = [f"seat-{number}" for number in range(many)]
    stalls = stalling_joins(many)
    async with played(*seats, world=(*FAST, *stalls), stop_deadline=7) as daemon:
        async with daemon.line() as line:
            joined = [await line.ask("join", seat=seat, wait=0) for seat in seats]
        assert {answer["state"] for answer in joined} == {"pending"}
        with trio.fail_after(LIMIT):
            while len(daemon.sessions_alive()) < alive:  # noqa: ASYNC110
                await trio.sleep(0.1)  # a session that does not answer yet tells nothing
        assert await daemon.terminate() == 0
        assert daemon.sessions_alive() == []
        started = ["claimed", "starting", "stopping", "stopped"]
        waiting = ["claimed", "stopped"]
        states = [daemon.states(seat) for seat in seats]
        assert states.count(started) >= alive
        assert states.count(started) + states.count(waiting) == many


async def _spawning(daemon: RealDaemon) -> None:
    assert (await daemon.join("red", wait=0))["state"] == "pending"


async def _stopping(daemon: RealDaemon) -> None:
    await daemon.join("red")
    await daemon.until_turns("red", 2)
    await daemon.until_phase("red", "acting")
    async with daemon.line() as line:
        await line.send({"id": 1, "verb": "stop", "params": {"seat": "red"}})
        await daemon.until_seat("red", "stopping")


async def _backing_off(daemon: RealDaemon) -> None:
    await daemon.join("red")
    await daemon.crash("red")
    await daemon.until_seat("red", "restarting")


@pytest.mark.parametrize("at", [_spawning, _stopping, _backing_off])
async def test_sigterm_in_the_middle_ends_the_daemon_in_order(played: Any, at: Any):
    """Case 5."""
    world = ("--speed", "1", "--misbehave", "slow:600@act=3")
    async with played("red", world=world, restart=["crashed"], stop_deadline=7) as daemon:
        await at(daemon)
        assert await daemon.terminate() == 0
        assert daemon.sessions_alive() == []
        assert daemon.states("red")[-1:] in (["stopped"], ["failed"], [])
        assert daemon.states("red").count("claimed") <= 1


async def test_a_second_sigterm_waits_for_nobody(played: Any):
    world = ("--speed", "1", "--misbehave", "slow:600@act=3")
    async with played("red", world=world, stop_deadline=300) as daemon:
        await _stopping(daemon)
        daemon.process.send_signal(signal.SIGTERM)
        while not (await daemon.ask("status"))["draining"]:  # noqa: ASYNC110
            await trio.sleep(0.02)  # a signal is answered by nothing
        assert await daemon.terminate() == 0
        assert daemon.sessions_alive() == []
        assert daemon.states("red")[-1] == "failed"
