"""Joining, stopping and what lies between, with real session processes."""

import errno
import json
import os
import time
from pathlib import Path

import pytest
import trio
import trio.testing

from config.settings import Limits
from daemon.control.wire import BudgetChange, SeatChanged, TurnEnded, Watching
from daemon.delays import Delays
from daemon.happenings import Happening, RestartPlanned, SessionSaid
from daemon.refusal import Refusal

pytestmark = pytest.mark.usefixtures("no_children_left")


def events_in(directory: Path) -> list[tuple[str, str]]:
    if not (directory / "events.jsonl").exists():
        return []
    lines = [json.loads(line) for line in (directory / "events.jsonl").read_text().splitlines()]
    return [(e["data"]["seat"], e["type"].removeprefix("embodiment.session.")) for e in lines]


async def test_a_session_is_joined_and_stopped(opened, tmp_path: Path):
    async with opened("good") as playd:
        joined = await playd.join()
        assert joined.state == "running"
        seat = await playd.seat()
        assert seat.state == "running"
        assert seat.session.session_id == joined.session_id
        stopped = await playd.stop()
        assert (stopped.state, stopped.outcome, stopped.leave) == (
            "stopped",
            "stopped",
            "confirmed",
        )
        assert (stopped.session_id, stopped.turns_taken) == (joined.session_id, 3)
        assert (await playd.seat()).state == "idle"
    states = ["claimed", "starting", "running", "stopping", "stopped"]
    assert events_in(tmp_path / "state") == [("red", state) for state in states]


async def test_twenty_joins_at_once_start_one_session(opened, tmp_path: Path):
    answers: list[str] = []

    async def join(playd) -> None:
        try:
            answers.append((await playd.join()).state)
        except Refusal as refusal:
            answers.append(refusal.code)

    async with opened("good") as playd:
        async with trio.open_nursery() as nursery:
            for _ in range(20):
                nursery.start_soon(join, playd)
        await playd.stop()
    assert sorted(answers) == ["play_session_active"] * 19 + ["running"]
    assert events_in(tmp_path / "state").count(("red", "running")) == 1


async def test_a_join_never_says_that_it_plays_before_the_session_runs(opened):
    async with opened("never_ready") as playd:
        assert (await playd.join(wait=0.2)).state == "pending"
        assert (await playd.seat()).state == "starting"
        stopped = await playd.stop()
        assert (stopped.state, stopped.outcome, stopped.leave) == (
            "stopped",
            "stopped",
            "not_joined",
        )


async def test_generations_grow_across_sittings_and_daemons(opened):
    async with opened("good") as playd:
        first = await playd.join()
        await playd.stop()
        second = await playd.join()
    async with opened("good") as playd:
        await playd.supervisor.recover(playd.caller, "red", True)
        third = await playd.join()
    assert [first.generation, second.generation, third.generation] == [1, 2, 3]


@pytest.mark.parametrize(
    ("behaviour", "code", "says"),
    [
        ("refuses", "session_refused", "seat_taken: somebody else plays there"),
        ("crash_early", "session_failed", "died before running: exit code 3"),
    ],
)
async def test_a_join_that_fails_says_why(opened, make_settings, behaviour, code, says):
    """Case 13."""
    async with opened(behaviour, settings=make_settings("red", restart=frozenset())) as playd:
        with pytest.raises(Refusal, match=says) as refusal:
            await playd.join()
        assert refusal.value.code == code
        assert (await playd.seat()).state == "idle"


async def test_a_missing_program_takes_the_path_of_a_death(opened):
    async with opened("", command=["/nowhere/at-all"]) as playd:
        with pytest.raises(Refusal, match="cannot be started") as refusal:
            await playd.join()
        assert refusal.value.code == "spawn_failed"
        seat = await playd.until_seat("failed")
        assert "6 deaths in 10 minutes" in seat.detail
        with pytest.raises(Refusal, match="seat red failed"):
            await playd.join()
        assert (await playd.supervisor.reset(playd.caller, "red")).state == "idle"


async def test_a_missing_program_is_tried_again_at_growing_waits_and_meanwhile_nothing_is_done(
    opened,
):
    """Case 11."""
    planned: list[float] = []
    async with opened("", command=["/nowhere/at-all"]) as playd:
        playd.supervisor.happenings.observe(
            lambda h: planned.append(h.delay) if isinstance(h, RestartPlanned) else None
        )
        with pytest.raises(Refusal):
            await playd.join()
        await playd.until_seat("failed")
    assert planned == [0.02 * 2**number for number in range(5)]
    async with opened(
        "", command=["/nowhere/at-all"], delays=Delays(first_restart=3600.0)
    ) as playd:
        with pytest.raises(Refusal):
            await playd.join("blue")
        await playd.until_seat("restarting", "blue")
        used, began = time.process_time(), trio.current_time()
        for _ in range(20):
            assert (await playd.seat("blue")).state == "restarting"
            await trio.sleep(0.05)
        assert time.process_time() - used < 0.2 * (trio.current_time() - began), "it spins"


async def test_a_seat_that_failed_takes_no_other_down(opened, tmp_path: Path):
    async with opened("crash_late") as playd:
        await playd.join("red")
        await playd.until_seat("failed", "red")
        assert (await playd.seat("blue")).state == "idle"
        # Each death left the body unconfirmed, so the world was asked before the next session.
        assert (await playd.join("blue")).state == "running"
    running = [seat for seat, state in events_in(tmp_path / "state") if state == "running"]
    assert running.count("red") == 6


async def test_a_failed_seat_stays_failed_for_the_next_daemon(opened):
    async with opened("", command=["/nowhere/at-all"]) as playd:
        with pytest.raises(Refusal):
            await playd.join()
        await playd.until_seat("failed")
    async with opened("good") as playd:
        with pytest.raises(Refusal) as refusal:
            await playd.join()
        assert refusal.value.code == "seat_failed"


async def test_a_stop_during_backoff_answers_at_once_and_starts_nothing_later(
    opened, tmp_path: Path
):
    """Case 8."""
    slow = Delays(first_restart=3600.0)
    async with opened("", command=["/nowhere/at-all"], delays=slow) as playd:
        with pytest.raises(Refusal):
            await playd.join()
        seat = await playd.until_seat("restarting")
        assert seat.restart_in > 3000
        with trio.fail_after(60):
            stopped = await playd.stop()
        assert stopped.session_id is None
        assert (await playd.seat()).state == "idle"
    assert events_in(tmp_path / "state").count(("red", "claimed")) == 1


@pytest.mark.parametrize("outcome", ["stopped", "finished", "budget_exhausted", "idle"])
async def test_an_end_of_its_own_is_not_restarted(opened, tmp_path: Path, outcome: str):
    async with opened("ends", outcome) as playd:
        await playd.join()
        seat = await playd.until_seat("idle")
        assert seat.session.outcome == outcome
        assert seat.session.state == "stopped"
    assert events_in(tmp_path / "state").count(("red", "claimed")) == 1


async def test_mind_unavailable_is_restarted_only_where_the_seat_lists_it(
    opened, make_settings, tmp_path: Path
):
    listed = make_settings("red", restart=frozenset(["mind_unavailable"]))
    async with opened("ends", "mind_unavailable", settings=listed) as playd:
        await playd.join()
        await playd.until_seat("failed")
    assert events_in(tmp_path / "state").count(("red", "claimed")) == 6


async def test_three_quick_stops_by_hand_are_no_deaths(opened):
    """Case 9."""
    async with opened("good") as playd:
        for _ in range(3):
            await playd.join()
            await playd.stop()
        seat = await playd.seat()
        assert (seat.state, seat.deaths) == ("idle", 0)


async def test_a_second_stop_gets_the_first_ones_answer(opened):
    answers = []

    async def stop(playd) -> None:
        answers.append(await playd.stop())

    async with opened("good") as playd:
        await playd.join()
        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(stop, playd)
    assert answers[0].outcome == "stopped"
    assert answers[1:] == [answers[0]] * 2


async def test_a_session_that_ignores_its_stop_is_killed_after_the_deadline(
    opened, make_settings, alive, caplog
):
    settings = make_settings("red", limits=Limits(stop_deadline=0.2))
    async with opened("deaf", settings=settings) as playd:
        await playd.join()
        pid = (await playd.seat()).session.pid
        with trio.fail_after(60):
            stopped = await playd.stop()
        assert (stopped.state, stopped.outcome, stopped.leave) == (
            "failed",
            "stop_deadline",
            "unconfirmed",
        )
        assert not alive(pid)
        assert (await playd.seat()).state == "recovery_required"
    (told,) = [r for r in caplog.records if r.__dict__.get("PLAYD_EVENT") == "session_failed"]
    assert told.levelname == "WARNING"
    assert told.getMessage().startswith("failed, stop_deadline: ")
    assert told.getMessage().endswith("; its leave is not confirmed")


async def test_stop_now_kills_at_once(opened, alive):
    async with opened("deaf") as playd:
        await playd.join()
        pid = (await playd.seat()).session.pid
        with trio.fail_after(60):
            stopped = await playd.stop(now=True)
        assert (stopped.outcome, stopped.leave) == ("stopped", "unconfirmed")
        assert not alive(pid)


async def test_stop_now_cuts_a_gentle_stop_short(opened):
    async with opened("deaf") as playd:
        await playd.join()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(playd.stop)
            await playd.until_seat("stopping")
            with trio.fail_after(60):
                await playd.stop(now=True)


async def test_a_quick_session_is_stopped_quickly_under_a_long_deadline(opened, make_settings):
    """Case 14."""
    async with opened("good", settings=make_settings("red", limits=Limits(stop_deadline=300))) as p:
        await p.join()
        with trio.fail_after(60):
            await p.stop()


async def test_a_restarted_session_plays_on_in_the_same_sitting(opened, tmp_path: Path):
    async with opened("crash_late") as playd:
        joined = await playd.join()

        async def twice() -> bool:
            session = (await playd.seat()).session
            return session.generation >= 3

        await playd.until(twice)
        seen = await playd.supervisor.sessions(playd.caller, "red", True, 10)
        assert {session.sitting_id for session in seen.sessions} == {joined.sitting_id}
        assert [s.generation for s in seen.sessions] == sorted(
            (s.generation for s in seen.sessions), reverse=True
        )
        assert seen.sessions[-1].reason == "died while running: exit code 4"


async def test_the_sittings_bill_stays_in_sight_until_a_restarted_session_tells_its_own(
    opened, make_settings, tmp_path: Path
):
    settings = make_settings("red", restart=frozenset({"mind_unavailable"}))
    async with opened("tells_of_earlier_runs", tmp_path / "ran", settings=settings) as playd:
        await playd.join()

        async def plays_again() -> bool:
            seat = await playd.seat()
            return seat.generation == 2 and seat.state == "running"

        await playd.until(plays_again)
        assert (await playd.seat()).session.budget.tokens == 100
        told = await playd.supervisor.budget(
            playd.caller, "red", BudgetChange(), default=False, reset=False
        )
        assert told.used.tokens == 100


async def test_drain_stops_all_in_parallel_and_refuses_joins(opened, make_settings):
    names = [f"s{number}" for number in range(12)]
    settings = make_settings(*names, limits=Limits(stop_deadline=0.5))
    async with opened("deaf", settings=settings) as playd:
        async with trio.open_nursery() as nursery:
            for name in names:
                nursery.start_soon(playd.join, name)
        with trio.fail_after(60):
            drained = await playd.supervisor.drain(playd.caller)
        assert (drained.stopped, drained.failed) == (0, 12)
        assert playd.supervisor.drained.is_set()
        with pytest.raises(Refusal) as refusal:
            await playd.join(names[0])
        assert refusal.value.code == "draining"


async def test_sessions_that_never_become_ready_are_drained_too(opened, make_settings):
    """Case 10."""
    names = [f"s{number}" for number in range(12)]
    async with opened("never_ready", settings=make_settings(*names)) as playd:
        for name in names:
            await playd.join(name, wait=0)
        with trio.fail_after(60):
            drained = await playd.supervisor.drain(playd.caller)
        assert drained.failed == 0


async def test_a_drain_ends_pending_restarts_too(opened):
    slow = Delays(first_restart=3600.0)
    async with opened("", command=["/nowhere/at-all"], delays=slow) as playd:
        with pytest.raises(Refusal):
            await playd.join()
        await playd.until_seat("restarting")
        with trio.fail_after(60):
            await playd.supervisor.drain(playd.caller)
        assert (await playd.seat()).state == "idle"


async def test_a_drain_in_the_middle_of_starting_starts_nothing(opened, tmp_path: Path):
    async with opened("good") as playd:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_join_in_vain, playd)
            await trio.testing.wait_all_tasks_blocked()
            with trio.fail_after(60):
                await playd.supervisor.drain(playd.caller)
        assert (await playd.seat()).state == "idle"
    assert ("red", "running") not in events_in(tmp_path / "state")


async def _join_in_vain(playd) -> None:
    with pytest.raises(Refusal):
        await playd.join()


async def test_leaving_the_supervisor_kills_what_plays_and_records_it(opened, alive):
    async with opened("deaf") as playd:
        await playd.join()
        pid = (await playd.seat()).session.pid
    assert not alive(pid)
    async with opened("good") as playd:
        seat = await playd.seat()
        assert (seat.session.outcome, seat.state) == ("supervisor_lost", "recovery_required")


async def test_a_cancelled_supervisor_leaves_nothing_behind(opened, alive):
    with trio.CancelScope() as scope:
        async with opened("deaf") as playd:
            await playd.join()
            pid = (await playd.seat()).session.pid
            scope.cancel()
            await trio.sleep_forever()
    assert not alive(pid)


async def test_what_a_person_says_is_answered_once_the_session_has_it(opened):
    async with opened("good") as playd:
        joined = await playd.join()
        said = await playd.supervisor.say(playd.caller, "red", "hello", "Ann", None)
        assert said.session_id == joined.session_id
        with pytest.raises(Refusal) as refusal:
            await playd.supervisor.say(playd.caller, "red", "hello", "Ann", "parlour")
        assert refusal.value.code == "not_authorized"


async def test_a_session_that_does_not_acknowledge_is_told(opened):
    async with opened("silent", delays=Delays(say=0.3)) as playd:
        await playd.join()
        with pytest.raises(Refusal) as refusal:
            await playd.supervisor.say(playd.caller, "red", "hello", "Ann", None)
        assert refusal.value.code == "session_silent"


async def test_pause_budget_and_resume_reach_the_session(opened, caplog):
    caplog.set_level("INFO")

    def told(kind: str) -> bool:
        return any(f'"kind": "{kind}"' in message for message in caplog.messages)

    async with opened("good") as playd:
        await playd.join()
        assert (await playd.supervisor.pause(playd.caller, "red")).paused
        assert (await playd.seat()).state == "paused"
        await playd.supervisor.say(playd.caller, "red", "before it is resumed", "", None)
        assert not (await playd.supervisor.resume(playd.caller, "red")).paused
        change = BudgetChange(tokens=7, dollars=None)
        changed = await playd.supervisor.budget(playd.caller, "red", change, False, False)
        assert changed.ceiling.tokens == 7
        await playd.supervisor.say(playd.caller, "red", "after these", "", None)
        await playd.stop()
    assert told("pause")
    assert told("resume")
    assert told("budget")


@pytest.mark.parametrize("default", [True, False])
async def test_ceilings_that_are_changed_at_once_all_hold(opened, default: bool):
    changes = (BudgetChange(tokens=5), BudgetChange(max_turns=6), BudgetChange(max_duration=7.0))
    async with opened("good") as playd:
        await playd.join()

        async def change(change: BudgetChange) -> None:
            await playd.supervisor.budget(playd.caller, "red", change, default, False)

        async with trio.open_nursery() as nursery:
            for one in changes:
                nursery.start_soon(change, one)
        read = await playd.supervisor.budget(playd.caller, "red", BudgetChange(), default, False)
    ceiling = read.ceiling
    assert (ceiling.tokens, ceiling.max_turns, ceiling.max_duration) == (5, 6, 7.0)


async def test_a_default_that_is_set_during_a_join_gives_no_generation_out_twice(opened):
    async with opened("good") as playd:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(playd.join)
            for tokens in range(1, 60):
                change = BudgetChange(tokens=tokens)
                await playd.supervisor.budget(playd.caller, "red", change, True, False)
        await playd.stop()
        assert (await playd.join()).generation == 2
        assert (await playd.seat()).session.ceiling.tokens == 59


async def test_a_default_budget_is_for_later_sittings_and_survives_the_daemon(opened):
    async with opened("good") as playd:
        await playd.join()
        change = BudgetChange(tokens=11, max_turns=5)
        await playd.supervisor.budget(playd.caller, "red", change, True, False)
        now = await playd.supervisor.budget(playd.caller, "red", BudgetChange(), False, False)
        assert now.ceiling.tokens == 250_000
        await playd.stop()
    async with opened("good") as playd:
        await playd.join()
        now = await playd.supervisor.budget(playd.caller, "red", BudgetChange(), False, False)
        assert (now.ceiling.tokens, now.ceiling.max_turns) == (11, 5)


async def test_a_dollar_cap_refuses_a_model_without_a_price(opened, make_settings):
    async with opened("good", settings=make_settings("red", model="unpriced")) as playd:
        cap = BudgetChange(dollars=0.0)
        with pytest.raises(Refusal, match="price of model unpriced is not known"):
            await playd.supervisor.join(playd.caller, "red", None, cap, 5)
        await playd.join()
        with pytest.raises(Refusal, match="price of model unpriced is not known"):
            await playd.supervisor.budget(playd.caller, "red", cap, False, False)


async def test_a_watcher_sees_the_seats_and_then_what_happens(opened):
    seen = []
    async with opened("plays") as playd:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(playd.supervisor.watch, playd.caller, seen.append)
            await trio.testing.wait_all_tasks_blocked()
            await playd.join()
            await playd.stop()
            nursery.cancel_scope.cancel()
    assert [event.seat.seat for event in seen[:2]] == ["blue", "red"]
    assert isinstance(seen[2], Watching)
    cards = [event.card for event in seen if isinstance(event, TurnEnded)]
    assert [card.turn for card in cards] == [0, 1, 2]
    seats = [event.seat for event in seen[3:] if isinstance(event, SeatChanged)]
    states = [seat.session.state for seat in seats if seat.session is not None]
    # A view shows what is, so a state that passed quickly may be missed, but not the last.
    assert [state for state in dict.fromkeys(states) if state in ("running", "stopped")] == [
        "running",
        "stopped",
    ]


async def test_observe_shows_the_last_turn_and_joins_nothing(opened):
    async with opened("plays", 5) as playd:
        with pytest.raises(Refusal) as refusal:
            await playd.supervisor.observe(playd.caller, "red")
        assert refusal.value.code == "not_playing"
        await playd.join()
        await playd.supervisor.say(playd.caller, "red", "are you there", "", None)
        seen = (await playd.supervisor.observe(playd.caller, "red")).session
        assert seen.card.scene == "overworld"
        assert (seen.card.turn, seen.turns_taken, seen.budget.tokens) == (4, 5, 400)


async def test_an_unknown_seat_is_refused_by_every_verb(opened):
    async with opened("good") as playd:
        for verb in (playd.join, playd.stop):
            with pytest.raises(Refusal) as refusal:
                await verb("green")
            assert refusal.value.code == "no_such_seat"


async def test_a_fault_in_driving_a_session_is_named_itself_and_costs_no_other_seat(
    opened, tmp_path: Path
):
    def trip(happening: Happening) -> None:
        if isinstance(happening, SessionSaid) and happening.session.seat == "red":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async with opened("good") as playd:
        with playd.supervisor.happenings.observed_by(trip):
            with pytest.raises(Refusal, match="could not be driven: No space left") as refusal:
                await playd.join("red")
            assert refusal.value.code == "internal"
            assert (await playd.join("blue")).state == "running"
        assert (await playd.join("red")).state == "running"
    assert ("red", "failed") in events_in(tmp_path / "state")
