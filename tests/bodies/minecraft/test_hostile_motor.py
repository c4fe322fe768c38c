"""Whatever a motor says: a typed trouble or a turn, an end in order, a journal that is whole."""

from __future__ import annotations

import itertools
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from hypothesis import HealthCheck, given
from hypothesis import settings as fuzz
from hypothesis import strategies as st
from nasty import spoiled
from pydantic_core import from_json
from scripted_model import ScriptedModel, answer
from stage import staged
from trio.testing import MockClock

from bodies.minecraft import wire
from bodies.minecraft.acting import perform
from bodies.minecraft.events import Events
from bodies.minecraft.motor.motor import MotorTrouble
from bodies.minecraft.motor.native import NativeMotor
from bodies.minecraft.motor.tools import ToolAnswer
from bodies.minecraft.opening import open_body
from bodies.minecraft.options import Profile
from bodies.minecraft.reading import MinecraftReading
from kernel.body import JoinRefused
from kernel.journal.verify import verify
from kernel.session.side import Side
from kernel.session.specification import BudgetCeiling

AT = "2026-01-01T00:00:00.000Z"
SESSION = {"sessionId": "s", "connectionGeneration": 1}
PLACE = {"x": 1, "y": 64, "z": 1}
FACTS = [
    {"kind": "position", "player": "Kim", "position": {"x": 1.0, "y": 64.0, "z": 1.0}},
    {"kind": "block", "position": PLACE, "block": "stone"},
    {"kind": "inventory", "item": "oak_log", "count": 3},
    {"kind": "chat", "player": "Kim", "text": "hello"},
    {"kind": "health", "player": "Alex", "health": 20.0, "food": 20.0},
]
CHECKS = [
    {"kind": "block", "position": PLACE, "expected": "air", "observed": "stone"},
    {"kind": "inventory", "item": "oak_log", "expected": 4, "observed": 4},
    {
        "kind": "position", "player": "Alex", "expected": FACTS[0]["position"],
        "observed": FACTS[0]["position"], "tolerance": 1.0,
    },
    {"kind": "chat", "player": "Alex", "expected": "hello", "observed": "hello"},
]  # fmt: skip
STATUS = {"session": SESSION, "phase": "active", "termination": {"kind": "not_requested"}}
ACTION = {
    "session": SESSION, "actionId": "a", "requested": {"kind": "chat", "text": "hello"},
    "state": "completed", "requestedAt": AT, "updatedAt": AT,
    "evidence": {
        "kind": "verified", "source": "server_observer", "observedAt": AT, "checks": CHECKS,
    },
}  # fmt: skip
EVENT = {
    "sequence": 1, "at": AT, "type": "chat",
    "data": {"player": "Kim", "text": "hello", "health": 1.0},
}  # fmt: skip
SAYS = {
    "join": STATUS,
    "status": STATUS,
    "observe": {
        "session": SESSION, "observedAt": AT, "near": ["Kim"], "remarks": "r",
        "facts": [{"source": "server_packet", "observedAt": AT, "fact": fact} for fact in FACTS],
    },
    "act": ACTION,
    "action_status": ACTION,
    "cancel_action": ACTION,
    "leave": STATUS,
    "poll_events": {"events": [EVENT], "latestSequence": 1, "droppedBeforeSequence": 1},
}  # fmt: skip
CHAT = {"monologue": "m", "intent": "i", "action": "chat", "text": "hello"}

PROFILE = Profile(id="garden", host="127.0.0.1", port=1, version="1.20.1", username="Alex")

runs = itertools.count()


def in_text(told: bytes) -> bytes:
    """A tool's answer with these words as its text."""
    text = msgspec.json.encode(told.decode("utf-8", "replace"))
    return b'{"jsonrpc":"2.0","id":0,"result":{"content":[{"type":"text","text":%s}]}}' % text


def structured(told: bytes) -> bytes:
    """A tool's answer with this as its structured content."""
    return b'{"jsonrpc":"2.0","id":0,"result":{"content":[],"structuredContent":%s}}' % told


def lines_of(tool: str) -> st.SearchStrategy[bytes]:
    """What a motor may write instead of the tool's answer."""
    framed = {"jsonrpc": "2.0", "id": 0, "result": {"content": [{"type": "text", "text": "{}"}]}}
    asking = {"jsonrpc": "2.0", "id": 0, "method": "sampling/createMessage", "params": {"a": 1}}
    noting = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}}
    failing = {"jsonrpc": "2.0", "id": 0, "error": {"code": -1, "message": "no", "data": {"a": 1}}}
    return st.one_of(
        spoiled([SAYS[tool]], keep=("kind",)).map(in_text),
        spoiled([SAYS[tool]], keep=("kind",)).map(structured),
        spoiled([framed, failing, asking, noting], keep=("id", "jsonrpc")),
        st.binary(max_size=200),
    )


def written_and_read(value: Any, kind: Any) -> None:
    """A journal that has it can be read."""
    assert msgspec.json.decode(msgspec.json.encode(value), type=kind) == value


class Saying:
    """Tools that give one answer to every call."""

    def __init__(self, told: ToolAnswer) -> None:
        self.told = told

    async def call(self, name: str, arguments: dict[str, Any], seconds: float) -> ToolAnswer:
        await trio.lowlevel.checkpoint()
        return self.told


@fuzz(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    tool=st.sampled_from(sorted(SAYS)),
    told=st.data(),
    in_words=st.booleans(),
)
async def test_whatever_a_tool_answers_is_taken_whole_or_is_a_trouble(
    autojump_clock: MockClock, tool: str, told: st.DataObject, in_words: bool
) -> None:
    said = told.draw(spoiled([SAYS[tool]], keep=("kind",)))
    answer = ToolAnswer(said.decode("utf-8", "replace"))
    if not in_words:
        try:
            answer = ToolAnswer("", from_json(said))  # as the MCP library reads it
        except ValueError:
            return
    motor, ref, chat = NativeMotor(Saying(answer)), wire.SessionRef("s", 1), wire.Chat("hello")
    with suppress(MotorTrouble):
        match tool:
            case "join":
                await motor.join(ref, PROFILE)
            case "status":
                await motor.status()
            case "observe":
                written_and_read(await motor.observe(ref), wire.Observation)
            case "poll_events":
                taken = Events("Alex").take(await motor.poll_events(ref, 0))
                assert len(taken.text or "") <= 2_000
            case _:
                done = await perform(motor, ref, "a", chat, trio.Event())
                if done.status is not None:
                    written_and_read(done.status, wire.ActionStatus)


tools = st.sets(st.sampled_from(sorted(SAYS)), min_size=1, max_size=2)


@pytest.mark.long
@fuzz(
    max_examples=fuzz().max_examples // 2,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    says=tools.flatmap(
        lambda chosen: st.fixed_dictionaries(
            {tool: st.lists(lines_of(tool), min_size=1, max_size=2) for tool in sorted(chosen)}
        )
    )
)
async def test_whatever_a_motor_says_the_session_ends_in_order_and_its_journal_is_whole(
    autojump_clock: MockClock,
    options: Any,
    side: Side,
    tmp_path: Path,
    says: dict[str, list[bytes]],
) -> None:
    autojump_clock.autojump_threshold = 0.3  # the motor is a process, and answers in less
    directory = tmp_path / str(next(runs))
    directory.mkdir()
    script: dict[str, Any] = {}
    for tool, lines in says.items():
        for number, line in enumerate(lines):
            file = directory / f"{tool}-{number}"
            file.write_bytes(line.replace(b"\n", b""))
            script.setdefault(tool, []).append({"raw": str(file)})
    model = ScriptedModel([answer(**CHAT)], seconds=0)
    ceiling = BudgetCeiling(max_turns=2)
    with trio.fail_after(3600):
        async with open_body(options(script), side) as body:
            try:
                await body.join()
            except JoinRefused:
                return
            async with staged(directory, body=body, model=model, ceiling=ceiling) as stage:
                ending = await stage.run()
            await body.leave()
    assert ending.outcome in ("finished", "world_ended", "mind_unavailable")
    path = stage.play.trail.writer.path
    assert verify(path, lambda _: MinecraftReading()) == []
    assert max([0, *(len(str(prompt.parts)) for prompt in model.prompts)]) < 60_000
