"""Whatever a world says: a typed trouble or a turn, an end in order, a journal that is whole."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from hypothesis import HealthCheck, given
from hypothesis import settings as fuzz
from hypothesis import strategies as st
from nasty import spoiled
from scripted_model import ScriptedModel, answer
from stage import staged
from trio.testing import MockClock

from bodies.pokemon.adapter import PokemonBody
from bodies.pokemon.seat.addresses import Address
from bodies.pokemon.seat.client import Applicant, open_seat
from kernel.body import JoinRefused
from kernel.journal.verify import verify

STATE = {
    "overworld": {
        "mapId": "town", "mapGroup": 1, "mapNum": 1, "x": 3, "y": 2, "facing": "south",
    },
    "party": [
        {"slot": 0, "speciesId": 1, "level": 5, "currentHp": 9, "maxHp": 9, "moveIds": [1]}
    ],
    "fieldInputReady": True,
    "npcs": [{"localId": 1, "graphicsId": 1, "x": 4, "y": 2, "facing": "north"}],
    "dialogLines": ["hello"],
    "menu": {"menuId": "m", "cursor": 0, "entries": [{"id": "yes", "label": "Yes"}]},
    "mapSize": {"width": 9, "height": 9},
    "connections": [{"direction": "north", "destination": "road"}],
}  # fmt: skip
AT = {"mapId": "town", "x": 3, "y": 2}
MINIMAP = {
    "topLeft": {"mapId": "town", "x": 0, "y": 0},
    "rows": ["#####", "#...#", "#..@#"],
    "exits": [{"at": AT, "to": "road", "walkTo": "supported"}],
}
REFUSALS = [
    {"reason": "budget", "asked": 90, "allowed": 64},
    {"reason": "walk_target_outside_map", "bounds": {"width": 8, "height": 8}},
    {"reason": "no_path_to_target", "nearestReachable": AT},
    {"reason": "walk_exit_unsupported", "at": AT, "to": "cave"},
    {"reason": "menu_entry_not_present", "available": ["yes", {"id": "no", "label": "No"}]},
]
DECIDED = {
    "monologue": "m", "intent": "i", "notes": "n", "objective": "o",
    "action": "button_press", "button": "a", "holdFrames": 8,
}  # fmt: skip
DETAIL = {
    "kind": "walk_to", "target": AT, "plannedSteps": 3, "steps": 2, "arrived": False,
    "blockedAt": AT, "blockedBecause": "npc", "warped": False,
}  # fmt: skip

runs = itertools.count()


def right(host: Any) -> dict[str, list[dict[str, Any]]]:
    """What a right world says, by operation."""
    seen = host.observation(minimap=MINIMAP, state=STATE)
    acted = {"ok": True, "sessionId": "ses_one", "bodyGeneration": 1, "frame": 2, "replayed": False}
    spent = {"inputsSpent": 1, "framesSpent": 20, "screenChanged": True, "observation": seen}
    return {
        "world.join": [host.joined],
        "play.observe": [seen, {"ok": False, "code": "rate_limited", "retryAfterMs": 5}],
        "play.frame": [host.picture(1), host.picture(2)],
        "play.act": [
            {**acted, "outcome": {"kind": "ran", **spent, "detail": DETAIL}},
            *({**acted, "outcome": {"kind": "rejected", "refusal": why}} for why in REFUSALS),
            {"ok": False, "code": "invalid_input", "message": "no"},
        ],
        "world.leave": [{"ok": True, "sessionId": "ses_one", "endedAt": "x"}],
        "world.session": [{"ok": True, "sessionId": "ses_one", "bodyGeneration": 1}],
    }


async def play(
    host: Any, applicant: Applicant, address: Address, directory: Path, answering: Any
) -> None:
    """Three turns, and everything that must hold after them."""
    host.on = dict.fromkeys(right(host), answering)
    model = ScriptedModel([answer(**DECIDED)])
    with trio.fail_after(3600):
        async with open_seat(address, applicant, dial=host.dial, chance=lambda: 0.5) as seat:
            body = PokemonBody(seat)
            try:
                joined = await body.join()
            except JoinRefused:
                return
            assert max(len(joined.journey_id), len(joined.environment_session_id)) <= 5000
            assert len(joined.recovery) <= 20_000
            async with staged(directory / str(next(runs)), body=body, model=model) as stage:
                ending = await stage.run()
            await seat.leave()
    assert ending.outcome in ("finished", "world_ended", "mind_unavailable")
    assert verify(stage.play.trail.writer.path) == []
    told = [len(str(message)) for message in stage.sent]
    shown = [len(str(prompt.parts)) for prompt in model.prompts]
    assert max([0, *told]) < 20_000
    assert max([0, *shown]) < 40_000, "the world sets the bill"


def changed(document: Any, way: list[Any], to: Any) -> Any:
    copy = msgspec.json.decode(msgspec.json.encode(document))
    inner = copy
    for key in way[:-1]:
        inner = inner[key]
    inner[way[-1]] = to
    return copy


@pytest.mark.parametrize(
    ("operation", "way", "to"),
    [
        ("world.join", ["limits", "stallTimeoutMs"], 10**400),
        ("world.join", ["limits", "maxFramesPerAction"], 10**400),
        ("world.join", ["worldId"], "x" * 300_000),
        ("world.join", ["playerId"], "é" * 200),
        ("world.join", ["token"], "t" * 300_000),
        ("play.observe", ["state", "overworld", "x"], 10**4299),
        ("play.observe", ["state", "overworld", "mapId"], "m" * 300_000),
        ("play.observe", ["scene", "mode"], "m" * 300_000),
        ("play.observe", ["minimap", "rows"], ["#" * 300_000]),
        ("play.observe", ["minimap", "exits"], MINIMAP["exits"] * 2_000),
        ("play.observe", ["state", "npcs"], STATE["npcs"] * 2_000),
        ("play.observe", ["state", "party"], STATE["party"] * 2_000),
        ("play.observe", ["state", "dialogLines"], ["d" * 200] * 2_000),
        ("play.observe", ["state", "menu", "entries"], STATE["menu"]["entries"] * 2_000),
        ("play.observe", ["state", "connections"], STATE["connections"] * 2_000),
        ("play.act", ["outcome", "detail", "blockedBecause"], "m" * 300_000),
    ],
    ids=lambda each: each if isinstance(each, str) and len(each) < 20 else "",
)
async def test_no_size_of_what_a_world_says_breaks_play_or_sets_the_bill(
    autojump_clock: MockClock,
    host: Any,
    applicant: Applicant,
    address: Address,
    tmp_path: Path,
    operation: str,
    way: list[Any],
    to: Any,
) -> None:
    said = {name: answers[0] for name, answers in right(host).items()}
    said[operation] = changed(said[operation], way, to)

    async def answering(asked: dict[str, Any]) -> Any:
        wanted = said[asked["operation"]]
        return msgspec.json.encode({"id": 0, **wanted}) if len(str(to)) > 4000 else wanted

    await play(host, applicant, address, tmp_path, answering)


@fuzz(
    max_examples=fuzz().max_examples // 8,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
async def test_whatever_a_world_says_the_session_ends_in_order_and_its_journal_is_whole(
    autojump_clock: MockClock,
    host: Any,
    applicant: Applicant,
    address: Address,
    tmp_path: Path,
    data: st.DataObject,
) -> None:
    said = right(host)
    chosen = data.draw(st.sets(st.sampled_from(sorted(said)), min_size=1, max_size=2))
    first = {
        operation: data.draw(
            st.lists(
                st.none() | spoiled([{"id": 0, **one} for one in said[operation]], keep=("id",)),
                min_size=1,
                max_size=4,
            )
        )
        for operation in sorted(chosen)
    }
    observation = {"push": "observation", **said["play.observe"][0]}
    pushes = data.draw(
        st.lists(
            spoiled([observation, {"push": "frame", **host.picture(3)}], keep=("push",)), max_size=2
        )
    )

    async def answering(asked: dict[str, Any]) -> Any:
        operation = asked["operation"]
        if operation == "play.observe" and pushes:
            await host.push_raw(pushes.pop())
        spoilt = first[operation].pop(0) if first.get(operation) else None
        return spoilt or said[operation][0]

    await play(host, applicant, address, tmp_path, answering)
