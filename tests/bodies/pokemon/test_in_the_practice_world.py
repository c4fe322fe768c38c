"""The whole body in a practice world, over a real WebSocket, played by rules from STATE."""

import json
from pathlib import Path
from typing import Any

import msgspec
import trio

from bodies.practice.world.doors import Address
from bodies.practice.world.host import Setting
from bodies.practice.world.opening import run_world
from kernel.bodies import body_named
from kernel.body import Context, Decision, Speech, Timing, TurnFacts

TURNS = 24


class Nowhere:
    """Where the world events of a body go that has none."""

    def put(self, text: str) -> None:
        raise AssertionError(text)


def answer_to(state: dict[str, Any]) -> dict[str, Any]:
    """A newcomer's play: read, choose the first entry, give a name, leave by the first exit."""
    decision: dict[str, Any] = {"monologue": "m", "intent": "i", "objective": "see the town"}
    if state["menu"]:
        entry = state["menu"]["entries"][0]["id"]
        return decision | {"action": "select_menu_entry", "entry": entry}
    if state["mode"] == "naming":
        return decision | {"action": "enter_text", "text": "ROSE", "confirm": True}
    if state["mode"] == "dialog":
        return decision | {"action": "advance_dialog"}
    exits = [way for way in state["exits"] or () if way["walkTo"] == "supported"]
    if state["mode"] == "overworld" and exits:
        return decision | {"action": "walk_to", "x": exits[-1]["x"], "y": exits[-1]["y"]}
    return decision | {"action": "button_press", "button": "a", "holdFrames": 8}


async def play(body: Any, turns: int) -> list[dict[str, Any]]:
    """The turn lines of so many turns."""
    lines: list[dict[str, Any]] = []
    for number in range(turns):
        shown = await body.observe()
        prompt = body.prompt(shown, Context(number, "", (), (), None, None, takes_images=True))
        state = json.loads(prompt.parts[-1].splitlines()[1])
        decision = body.decode(json.dumps(answer_to(state)).encode(), shown)
        assert isinstance(decision, Decision), decision
        before = await body.observe()
        settled = effect = None
        if before.fingerprint == shown.fingerprint:
            settled = body.known(decision, before)
            settled = settled or await body.act(decision, f"key-{number}", trio.Event())
            effect = body.verify(before, settled, settled.after)
        turn = TurnFacts(
            number=number,
            outcome=settled.outcome if settled else "state_changed",
            shown=shown,
            before=before,
            after=settled.after if settled else None,
            decision=decision,
            settled=settled,
            effect=effect,
            failure=None,
            heard=(),
            speech=Speech(),
            calls=(),
            preemptions=0,
            timing=Timing(),
            window=0,
        )
        lines.append(json.loads(msgspec.json.encode(body.remember(turn).line)))
    return lines


async def test_a_newcomer_gets_through_the_opening_and_out_of_the_house(tmp_path: Path):
    async with trio.open_nursery() as nursery:
        setting = Setting(tmp_path, speed=400.0)
        (door,) = await nursery.start(run_world, setting, (Address("ws", "127.0.0.1", 0),))
        options = msgspec.Raw(
            msgspec.json.encode(
                {
                    "address": str(door),
                    "game": "firered",
                    "displayName": "Rose",
                    "credential": "rose-word",
                }
            )
        )
        async with body_named("pokemon").open(options, Nowhere()) as body:
            joined = await body.join()
            lines = await play(body, TURNS)
            farewell = await body.leave()
        nursery.cancel_scope.cancel()

    assert joined.environment_id == "pokemon-firered"
    assert farewell.leave == "confirmed"
    kinds = {line["turn"]["action"]["kind"] for line in lines}
    assert kinds >= {"enter_text", "select_menu_entry", "advance_dialog", "walk_to"}
    assert len(lines[-1]["evidence"]["progressAfter"]["maps"]) >= 2
    assert all(line["turn"]["framebufferSha256"] for line in lines)
    assert "rose-word" not in json.dumps(lines)
