"""The translation against what the public motor really said.

`exchange.jsonl` is a recorded exchange of the motor (0.2.21) with a server program on loopback: a
call a line, in the order in which they began, with the seconds each took; a call without an answer
was given up. What stands here is what the body made of it.
"""

from __future__ import annotations

from collections import defaultdict, deque
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from trio.testing import MockClock

from bodies.minecraft import wire
from bodies.minecraft.acting import perform
from bodies.minecraft.effects import effect_of
from bodies.minecraft.farewell import ask_to_leave
from bodies.minecraft.motor.tools import ToolAnswer
from bodies.minecraft.observation import Surroundings
from bodies.minecraft.options import Profile
from bodies.minecraft.public.motor import PublicMotor

EXCHANGE = Path(__file__).with_name("exchange.jsonl")
REF = wire.SessionRef("s", 1)
PROFILE = Profile(id="p", host="127.0.0.1", port=25565, version="1.20.1", username="Alex")
ACTIVE = wire.MotorStatus(REF, "active", wire.NotRequested())
DID = (
    (wire.Chat("Good morning."), "completed", "verified"),
    (wire.Goto(wire.BlockPosition(19, 73, 1), 2), "completed", "verified"),
    (wire.Craft("oak_planks", 4), "uncertain", "unknown"),
    (wire.Craft("iron_pickaxe", 1), "failed", "refuted"),
    (wire.Place(wire.BlockPosition(16, 73, 1), "oak_log"), "failed", "unknown"),
    (wire.Follow("Wren", 3), "failed", "unknown"),
    (wire.Goto(wire.BlockPosition(136, 73, 1), 2), "cancelled", "refuted"),
)


class RecordedTools:
    """Gives each call the answer that it got then, after as long."""

    def __init__(self, exchange: Path) -> None:
        self._answers: dict[str, deque[dict[str, Any]]] = defaultdict(deque)
        for line in exchange.read_bytes().splitlines():
            said = msgspec.json.decode(line)
            self._answers[self._key(said["tool"], said["arguments"])].append(said)

    async def call(self, name: str, arguments: dict[str, Any], seconds: float) -> ToolAnswer:
        waiting = self._answers[self._key(name, arguments)]
        assert waiting, f"{name} {arguments} was not asked then"
        said = waiting.popleft()
        if "text" not in said:
            await trio.sleep_forever()
        await trio.sleep(said["seconds"])
        return ToolAnswer(said["text"], is_error=said["isError"])

    @property
    def unasked(self) -> int:
        return sum(len(waiting) for waiting in self._answers.values())

    def _key(self, tool: str, arguments: dict[str, Any]) -> str:
        return f"{tool} {sorted(arguments.items())}"


@pytest.fixture
def tools() -> RecordedTools:
    return RecordedTools(EXCHANGE)


async def test_a_real_exchange_is_understood_from_the_join_to_the_leave(
    autojump_clock: MockClock, tools: RecordedTools
) -> None:
    async with trio.open_nursery() as errands:
        motor = PublicMotor(tools, errands)
        assert (await motor.join(REF, PROFILE)).phase == "active"
        assert (await motor.status()).phase == "active"
        seen = Surroundings("Alex", ACTIVE, await motor.observe(REF))
        assert seen.position == wire.Point(16.5, 73, 1.5)
        assert seen.health == wire.HealthFact("Alex", 20, 20)
        assert seen.inventory == {"oak_log": 4, "dirt": 2}
        came_of_it: list[tuple[str, str]] = []
        for number, (action, _, _) in enumerate(DID):
            done = await perform(motor, REF, f"a-{number}", action, trio.Event())
            assert done.status is not None
            assert done.failure is None
            came_of_it.append((done.status.state, effect_of(done).what))
            if number == 0:
                events = await motor.poll_events(REF, None)
                assert [e.data.text for e in events.events] == ["Good morning."]
        assert came_of_it == [(state, what) for _, state, what in DID]
        assert (await motor.poll_events(REF, 1)).events == ()
        after = Surroundings("Alex", ACTIVE, await motor.observe(REF))
        assert after.inventory == {"dirt": 2}
        assert after.chat == (), "its own words never come back"
        confirmed = await ask_to_leave(motor, REF)
        assert confirmed is not None
        assert confirmed.source == "not_connected"
        assert (await motor.status()).phase == "disconnected"
        errands.cancel_scope.cancel()
    assert tools.unasked == 0
