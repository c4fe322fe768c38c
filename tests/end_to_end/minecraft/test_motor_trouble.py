"""A motor that dies, hangs, prints, floods or is late: bounded, and no process is left behind."""

from __future__ import annotations

from typing import Any

import trio
from chat_server import chat_server
from session_child import child

from kernel.session import wire

GREET = {"monologue": "Somebody is here.", "intent": "greet", "action": "chat", "text": "hello"}
FAR = {"monologue": "I walk.", "intent": "go", "action": "goto", "x": 90, "y": 64, "z": 90,
       "tolerance": 1}  # fmt: skip


async def test_a_motor_that_dies_in_mid_action_ends_the_session_unconfirmed(garden: Any) -> None:
    script = {"looks": 1000, "action_status": [{}, {"exit": 9}]}
    with trio.fail_after(50):
        async with (
            chat_server(answer=FAR) as model,
            child(
                garden.start(garden.scripted_motor(script), model.base_url), toy=False
            ) as session,
        ):
            ended = await session.until(wire.Ended)
            await session.process.wait()
    assert (ended.outcome, ended.leave) == ("world_ended", "unconfirmed")
    assert "process ended" in ended.detail
    (turn,) = garden.lines("turn")
    assert (turn["turn"]["outcome"], turn["turn"]["action"]) == ("interrupted", None)
    assert len(garden.lines("decision")) == 1
    assert garden.lines("summary")[0]["leave"] == "unconfirmed"
    assert garden.problems == []
    assert garden.left_over == []


async def test_prints_a_flood_and_late_answers_cost_no_turn(garden: Any) -> None:
    wrong = (
        "stdout:spawned@observe=1",
        "flood:20000@poll_events=2",
        "late:3@act=1",
        "linger",
        "grandchild",
    )
    with trio.fail_after(50):
        async with (
            chat_server(answer=GREET) as model,
            child(
                garden.start(garden.practice_motor(*wrong), model.base_url, 2), toy=False
            ) as session,
        ):
            await session.until(wire.Turn)
            await session.tell(wire.Say(id="s", text="go on", speaker="Ann"))
            ended = await session.until(wire.Ended)
            await session.process.wait()
    assert (ended.outcome, ended.leave) == ("finished", "confirmed")
    turns = garden.lines("turn")
    assert [line["turn"]["outcome"] for line in turns] == ["settled", "settled"]
    assert sum(line["eventsLost"] for line in turns) > 10_000
    told = turns[1]["worldEvent"]
    assert len(told) <= 2_000
    assert garden.journal.stat().st_size < 400_000
    assert garden.left_over == []


async def test_a_motor_that_hangs_on_leave_is_left_unconfirmed_within_the_stops_time(
    garden: Any,
) -> None:
    with trio.fail_after(50):
        async with (
            chat_server(answer=FAR) as model,
            child(
                garden.start(garden.practice_motor("hang", speed=2), model.base_url, 9), toy=False
            ) as session,
        ):
            await session.until(wire.Phase, phase="acting")
            await session.tell(wire.Stop(reason="enough", remaining=8))
            stopped_at = trio.current_time()
            ended = await session.until(wire.Ended)
            took = trio.current_time() - stopped_at
            await session.process.wait()
    assert took < 8
    assert (ended.outcome, ended.leave) == ("stopped", "unconfirmed")
    assert garden.lines("summary")[0]["leave"] == "unconfirmed"
    assert len(garden.asked("cancel_action")) == 1, "the action is cancelled through the motor"
    assert garden.left_over == []
