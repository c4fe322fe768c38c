"""A motor's word is no proof, and a status that is wrong is no success (K24).

Every way in which a status can be wrong is in tests/bodies/minecraft; here are whole sessions.
"""

from __future__ import annotations

from typing import Any

import pytest
import trio
from chat_server import chat_server
from session_child import child

from kernel.session import wire

GREET = {"monologue": "Somebody is here.", "intent": "greet", "action": "chat", "text": "hello"}


@pytest.mark.parametrize(
    ("misdeed", "outcome", "effect"),
    [
        ("unproven", "settled", "not known (completed): only the bot itself says so"),
        ("contradict:verified", "action_failed", "verified though a check fails"),
    ],
)
async def test_what_proves_nothing_is_unknown_and_what_is_wrong_is_a_failure(
    garden: Any, misdeed: str, outcome: str, effect: str
) -> None:
    with trio.fail_after(50):
        async with (
            chat_server(answer=GREET) as model,
            child(
                garden.start(garden.practice_motor(misdeed), model.base_url), toy=False
            ) as session,
        ):
            ended = await session.until(wire.Ended)
            await session.process.wait()
    assert (ended.outcome, ended.leave) == ("finished", "confirmed")
    (line,) = garden.lines("turn")
    assert line["turn"]["outcome"] == outcome
    assert effect in line["turn"]["effect"]
    assert (line["turn"]["action"] is None) == (outcome == "action_failed")
    progress = garden.lines("summary")[0]["progress"]
    assert progress == {"verified": 0, "refuted": 0, "unknown": 1, "waited": 0}
    assert len(garden.asked("act")) == 1
    assert garden.problems == []
    assert garden.left_over == []
