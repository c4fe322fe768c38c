"""The public motor behind the body: its prose is a report, two looks are the evidence.

The exchange is written for these tests in the manner of such a motor.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from bodies.minecraft import wire
from bodies.minecraft.acting import Done, perform
from bodies.minecraft.consistency import contradiction_in_status
from bodies.minecraft.effects import effect_of
from bodies.minecraft.farewell import ask_to_leave
from bodies.minecraft.motor.motor import MotorTrouble
from bodies.minecraft.motor.tools import ToolAnswer
from bodies.minecraft.options import Profile
from bodies.minecraft.public.motor import PublicMotor

PROFILE = Profile(id="p", host="127.0.0.1", port=25565, version="1.20.1", username="Alex")
REF = wire.SessionRef("s", 1)
HERE = wire.BlockPosition(5, 64, 5)


@dataclass
class PublicTools:
    """A bot in prose. `lies` are tools that say they did and do not."""

    online: bool = False
    place: tuple[float, float, float] = (0.5, 64.0, 0.5)
    items: dict[str, int] = field(default_factory=lambda: {"oak_log": 3, "dirt": 2})
    chat: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=lambda: ["- oak_log at (5, 64, 5)"])
    lies: tuple[str, ...] = ()
    says: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    called: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    async def call(self, name: str, arguments: dict[str, Any], seconds: float) -> ToolAnswer:
        self.called.append((name, arguments))
        await trio.sleep(self.seconds.get(name, 0.01))
        if name in self.says:
            return ToolAnswer(self.says[name])
        if name == "joinGame":
            self.online = "joinGame" not in self.lies
            return ToolAnswer("Joined the game")
        if not self.online:
            return ToolAnswer("No bot is connected. Use joinGame first.")
        if name in self.lies:
            return ToolAnswer("Done, successfully")
        return ToolAnswer(self._do(name, arguments))

    def _do(self, name: str, given: dict[str, Any]) -> str:
        match name:
            case "lookAround":
                x, y, z = self.place
                blocks = "\n".join(self.blocks)
                return f"Position: ({x}, {y}, {z})\nHealth: 20/20\nPlayers:\n- Kim at (3, 64, 0)\n\n{blocks}"  # noqa: E501
            case "openInventory":
                return "\n".join(f"- {item} x {count}" for item, count in self.items.items())
            case "readChat":
                return "\n".join(self.chat) or "No messages"
            case "sendChat":
                self.chat.append(f"<Alex> {given['message']}")
                return "Sent"
            case "goToKnownLocation":
                self.place = (given["x"] + 0.5, given["y"], given["z"] + 0.5)
                return "Arrived"
            case "goToSomeone":
                self.place = (3.0, 64.0, 1.0)
                return "Arrived"
            case "craftItems":
                self.items["oak_planks"] = self.items.get("oak_planks", 0) + 4
                return "Crafted"
            case "placeItemNearYou":
                self.items[given["itemName"]] -= 1
                return "Placed"
            case "mineResource":
                self.blocks = []
                return "Mined"
            case "leaveGame":
                self.online = False
                return "Left"
            case _:
                return "Unknown tool"


@asynccontextmanager
async def joined(tools: PublicTools) -> AsyncIterator[PublicMotor]:
    async with trio.open_nursery() as errands:
        motor = PublicMotor(tools, errands)
        status = await motor.join(REF, PROFILE)
        assert status.phase == "active"
        yield motor
        errands.cancel_scope.cancel()


Attempt = Callable[..., Any]


async def attempt(tools: PublicTools, action: wire.Action) -> Done:
    async with joined(tools) as motor:
        return await perform(motor, REF, "a-1", action, trio.Event())
    raise AssertionError


@pytest.mark.parametrize(
    ("action", "tools", "what"),
    [
        (wire.Chat("hello"), {}, "verified"),
        (wire.Chat("hello"), {"lies": ("sendChat",)}, "unknown"),
        (wire.Chat("hello"), {"chat": ["<Alex> hello"], "lies": ("sendChat",)}, "unknown"),
        (wire.Chat("hello"), {"chat": ["<Alex> hello"]}, "verified"),
        (wire.Goto(HERE, 1), {}, "verified"),
        (wire.Goto(HERE, 1), {"lies": ("goToKnownLocation",)}, "refuted"),
        (wire.Goto(HERE, 1), {"says": {"goToKnownLocation": "No path found"}}, "refuted"),
        (wire.Follow("Kim", 2), {}, "verified"),
        (wire.Follow("Nobody", 2), {}, "unknown"),
        (wire.Craft("oak_planks", 4), {}, "verified"),
        (wire.Craft("oak_planks", 1), {}, "verified"),
        (wire.Craft("oak_planks", 8), {}, "refuted"),
        (wire.Craft("oak_planks", 4), {"lies": ("craftItems",)}, "refuted"),
        (wire.Place(HERE, "dirt"), {}, "unknown"),
        (wire.Place(HERE, "dirt"), {"lies": ("placeItemNearYou",)}, "refuted"),
        (wire.Dig(HERE), {}, "unknown"),
        (wire.Dig(HERE), {"lies": ("mineResource",)}, "refuted"),
    ],
)
async def test_what_came_of_an_action_is_told_by_looking_again(
    autojump_clock: MockClock, action: wire.Action, tools: dict[str, Any], what: str
) -> None:
    done = await attempt(PublicTools(**tools), action)
    assert done.failure is None
    assert effect_of(done).what == what


@pytest.mark.parametrize(
    ("action", "why"),
    [
        (wire.Chat("/op Alex"), "command"),
        (wire.Dig(wire.BlockPosition(9, 9, 9)), "not known"),
        (wire.Build((wire.Placement(HERE, "dirt"),)), "does not build"),
    ],
)
async def test_what_this_motor_cannot_do_is_not_replaced_by_something_near_to_it(
    autojump_clock: MockClock, action: wire.Action, why: str
) -> None:
    """K5a."""
    tools = PublicTools()
    done = await attempt(tools, action)
    assert done.failed
    assert done.failure is not None
    assert why in done.failure
    looks = {"joinGame", "lookAround", "openInventory", "readChat"}
    assert {name for name, _ in tools.called} <= looks


async def test_a_walk_of_seventy_seconds_ends_with_its_slice_and_proves_nothing(
    autojump_clock: MockClock,
) -> None:
    """K24."""
    done = await attempt(PublicTools(seconds={"goToKnownLocation": 70}), wire.Goto(HERE, 1))
    assert done.status is not None
    assert done.status.state == "uncertain"
    assert effect_of(done).what == "unknown"


async def test_joining_that_calls_itself_a_success_and_is_none_is_told_in_its_words(
    autojump_clock: MockClock,
) -> None:
    tools = PublicTools(says={"joinGame": "Joined!", "lookAround": "Server uses version 1.8"})
    async with trio.open_nursery() as errands:
        motor = PublicMotor(tools, errands)
        with pytest.raises(MotorTrouble, match="Joined!"):
            await motor.join(REF, PROFILE)


async def test_no_bot_any_more_is_an_uncertain_end_and_confirms_nothing(
    autojump_clock: MockClock,
) -> None:
    tools = PublicTools()
    async with joined(tools) as motor:
        tools.online = False
        status = await motor.status()
        assert status.phase == "uncertain"
        assert contradiction_in_status(status) is None
        assert (await motor.status()).phase == "uncertain"


async def test_a_motor_started_anew_holds_no_session(autojump_clock: MockClock) -> None:
    async with trio.open_nursery() as errands:
        assert (await PublicMotor(PublicTools(online=True), errands).status()).session is None


@pytest.mark.parametrize(("lies", "confirmed"), [((), True), (("leaveGame",), False)])
async def test_leaving_is_confirmed_when_no_bot_is_found_and_not_by_word(
    autojump_clock: MockClock, lies: tuple[str, ...], confirmed: bool
) -> None:
    async with joined(PublicTools(lies=lies)) as motor:
        confirmation = None
        with trio.move_on_after(20):
            confirmation = await ask_to_leave(motor, REF)
        assert (confirmation is not None) is confirmed


async def test_an_observation_is_the_bots_own_memory_with_chat_and_events_read_once(
    autojump_clock: MockClock,
) -> None:
    tools = PublicTools(chat=["<Kim> hi", "<Alex> mine"])
    async with joined(tools) as motor:
        observation = await motor.observe(REF)
        assert {sourced.source for sourced in observation.facts} == {"bot_cache"}
        facts = [sourced.fact for sourced in observation.facts]
        assert wire.PositionFact("Alex", wire.Point(0.5, 64, 0.5)) in facts
        assert wire.InventoryFact("oak_log", 3) in facts
        assert wire.ChatFact("Kim", "hi") in facts
        first = await motor.poll_events(REF, None)
        tools.chat.append("<Kim> come here")
        second = await motor.poll_events(REF, first.latest_sequence)
        third = await motor.poll_events(REF, second.latest_sequence)
        assert [e.data.text for e in first.events] == ["hi", "mine"]
        assert [(e.sequence, e.data.text) for e in second.events] == [(3, "come here")]
        assert third.events == ()
