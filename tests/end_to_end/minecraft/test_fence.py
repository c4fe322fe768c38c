"""What changes while the model decides holds the action back (K8, K18)."""

from __future__ import annotations

from typing import Any

import pytest
import trio
from chat_server import chat_server
from session_child import child

from kernel.session import wire

GREET = {"monologue": "Somebody is here.", "intent": "greet", "action": "chat", "text": "hello"}
HERE = {"kind": "position", "player": "Alex", "position": {"x": 0.5, "y": 64, "z": 0.5}}
KIM = {"kind": "position", "player": "Kim", "position": {"x": 4.5, "y": 64, "z": 0.5}}


def health(points: int) -> dict[str, Any]:
    facts = [HERE, KIM, {"kind": "health", "player": "Alex", "health": points, "food": 9}]
    return {"become": {"facts": facts}}


@pytest.mark.parametrize(
    "script",
    [
        {"status": [{}, {"become": {"phase": "paused"}}]},
        {"status": [{}, {"reconnect": True}]},
        {"observe": [{}, health(5)]},
        {"observe": [health(5), health(0)]},
    ],
    ids=["mode", "generation", "danger", "death"],
)
async def test_another_mode_connection_or_health_class_makes_the_decision_stale(
    garden: Any, script: dict[str, Any]
) -> None:
    with trio.fail_after(50):
        async with (
            chat_server(answer=GREET) as model,
            child(
                garden.start(garden.scripted_motor(script), model.base_url, 2), toy=False
            ) as session,
        ):
            await session.until(wire.Turn)
            await session.tell(wire.Say(id="s", text="go on", speaker="Ann"))
            ended = await session.until(wire.Ended)
            await session.process.wait()
    assert ended.outcome == "finished"
    stale, fresh = garden.lines("turn")
    assert (stale["turn"]["outcome"], stale["turn"]["action"]) == ("stale_decision", None)
    assert stale["after"] is None
    assert stale["before"] != stale["shown"]
    assert [line["turn"] for line in garden.lines("decision")] == [1]
    assert fresh["turn"]["outcome"] == "settled"
    assert fresh["shown"]["provenance"] == stale["before"]["provenance"]
    assert fresh["shown"]["observations"][0]["facts"] != []
    assert model.requests == 2, "a stale decision asks for nothing more in its turn"
    assert garden.problems == []
