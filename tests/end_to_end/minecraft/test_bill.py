"""What a Minecraft session pays for, and what it does without knowing the price (K6, K7)."""

from __future__ import annotations

from typing import Any

import pytest
import trio
from chat_server import chat_server
from session_child import child

from kernel.session import wire

GREET = {"monologue": "Somebody is here.", "intent": "greet", "action": "chat", "text": "hello"}


async def test_a_call_of_unknown_usage_ends_it_with_no_further_call_and_no_action(
    garden: Any,
) -> None:
    """K7."""
    with trio.fail_after(50):
        async with (
            chat_server(answer=GREET, usage=None) as model,
            child(garden.start(garden.scripted_motor({}), model.base_url, 9), toy=False) as session,
        ):
            ended = await session.until(wire.Ended)
            await session.process.wait()
    assert (ended.outcome, ended.leave) == ("mind_unavailable", "confirmed")
    assert [m.notable for m in session.heard if isinstance(m, wire.Notable)] == ["mind_unavailable"]
    assert model.requests == 1
    assert garden.lines("decision") == []
    assert [line["turn"]["outcome"] for line in garden.lines("turn")] == ["mind_failed"]
    (summary,) = garden.lines("summary")
    assert (summary["unreportedCalls"], summary["usage"]["charged"]) == (1, 16_000)


@pytest.mark.parametrize(("messages", "replaced"), [(1, 1), (3, 2)])
async def test_a_message_lets_the_request_settle_and_be_billed_and_asks_afresh_twice_at_most(
    garden: Any, messages: int, replaced: int
) -> None:
    """K6, K7."""
    with trio.fail_after(50):
        async with (
            chat_server(stalled=True, answer=GREET) as model,
            child(garden.start(garden.scripted_motor({}), model.base_url), toy=False) as session,
        ):
            for number in range(1, messages + 1):
                await model.asked(number)
                await session.tell(wire.Say(id=f"s{number}", text=f"word {number}", speaker="Ann"))
                await session.until(wire.Received, number)
                model.open.set()
                model.stall()
            model.open.set()
            ended = await session.until(wire.Ended)
            await session.process.wait()
    assert ended.outcome == "finished"
    assert model.requests == model.answered == 1 + replaced
    assert b"word 1" not in model.bodies[0]
    assert [b"word 1" in body for body in model.bodies[1:]] == [True] * replaced
    assert len(garden.lines("action")) == 1
    (turn,) = garden.lines("turn")
    assert turn["turn"]["preemptions"] == replaced
    assert [call["reported"] for call in turn["turn"]["usage"]] == [True] * (1 + replaced)
    assert garden.lines("summary")[0]["usage"]["charged"] == 110 * (1 + replaced)
    assert garden.lines("summary")[0]["undelivered"]["count"] == messages - replaced
