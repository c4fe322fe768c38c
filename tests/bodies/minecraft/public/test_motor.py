"""The public motor behind the body: its prose is a report, two looks are the evidence.

The bot here is written for these tests and speaks as the motor does; a recorded exchange with the
motor itself is in `test_recorded.py`.
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
from bodies.minecraft.observation import Surroundings, told
from bodies.minecraft.options import Profile
from bodies.minecraft.public.motor import PublicMotor

PROFILE = Profile(id="p", host="127.0.0.1", port=25565, version="1.20.1", username="Alex")
REF = wire.SessionRef("s", 1)
HERE = wire.BlockPosition(5, 64, 5)


@dataclass
class PublicTools:
    """A bot in prose. `lies` are tools that say they did and do not."""

    online: bool = False
    place: tuple[int, int, int] = (0, 64, 0)
    items: dict[str, int] = field(default_factory=lambda: {"oak_log": 3, "dirt": 2})
    chat: list[str] = field(default_factory=list[str])
    lies: tuple[str, ...] = ()
    says: dict[str, str] = field(default_factory=dict[str, str])
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    called: list[tuple[str, dict[str, Any]]] = field(default_factory=list[Any])
    _walk: trio.CancelScope = field(default_factory=trio.CancelScope)

    async def call(self, name: str, arguments: dict[str, Any], seconds: float) -> ToolAnswer:
        self.called.append((name, arguments))
        if name == "goToKnownLocation":
            self._walk.cancel()
            self._walk = trio.CancelScope()
            with self._walk as walk:
                await trio.sleep(self.seconds.pop(name, 0.01))
            if walk.cancelled_caught:
                return ToolAnswer("You had trouble navigating to the location.")
        else:
            await trio.sleep(self.seconds.get(name, 0.01))
        if name in self.says:
            return ToolAnswer(self.says[name])
        if name == "joinGame":
            self.online = "joinGame" not in self.lies
            return ToolAnswer("Bot 'Alex' successfully joined the game.")
        if not self.online:
            return ToolAnswer("Skill execution failed: No active bot.", is_error=True)
        if name in self.lies:
            return ToolAnswer("You successfully finished it.")
        return ToolAnswer(self._do(name, arguments))

    def _do(self, name: str, given: dict[str, Any]) -> str:
        match name:
            case "lookAround":
                return look(self.place, self.items)
            case "openInventory":
                stacks = ", ".join(f"{n} {i.replace('_', ' ')}" for i, n in self.items.items())
                return f"You just finished examining your inventory and it contains: {stacks}."
            case "readChat":
                shown = self.chat[-given["count"] :]
                return "\n".join(["=== Chat History ===", f"Showing {len(shown)} messages", *shown])
            case "sendChat":
                self.hear(f"<Alex>: {given['message']}")
                return "Sent chat message"
            case "goToKnownLocation":
                self.place = (given["x"], given["y"], given["z"])
                return "You have arrived near your destination."
            case "goToSomeone":
                return f"You finished going to {given['userName']}."
            case "craftItems":
                self.items["oak_planks"] = self.items.get("oak_planks", 0) + 4
                return "You have successfully finished crafting 4 oak_planks."
            case "placeItemNearYou":
                self.items[given["itemName"]] -= 1
                return "You successfully finished placing it nearby at {5,64,5}!"
            case "leaveGame":
                self.online = False
                return "Bot 'Alex' has been disconnected from the game."
            case _:
                return "Unknown tool"

    def hear(self, line: str) -> None:
        """Write it into the chat, at a time of its own."""
        self.chat.append(f"[1:00:{len(self.chat)} PM] {line}")


def look(place: tuple[int, int, int], items: dict[str, int], *entities: str) -> str:
    """A look around in the motor's words; it lists ten items."""
    x, y, z = place
    lines = [f"You are at coordinates X:{x}, Y:{y}, Z:{z}."]
    lines.append("Your health is 17.5/20 and hunger is 18/20.\nYou are not holding anything.")
    lines += ["\nYou see these blocks around you:", "- 1 grass_block"]
    if entities:
        lines += ["\nYou see these entities nearby:", *(f"- {each}" for each in entities)]
    lines.append(f"\nYour inventory contains {len(items)} different items:")
    lines += [f"- {item}: {count}" for item, count in list(items.items())[:10]]
    if len(items) > 10:
        lines.append(f"... and {len(items) - 10} other item types")
    return "\n".join(lines)


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


MANY = {f"item_{number}": 1 for number in range(10)} | {"oak_planks": 4}


@pytest.mark.parametrize(
    ("action", "tools", "what"),
    [
        (wire.Chat("hello"), {}, "verified"),
        (wire.Chat("hello"), {"lies": ("sendChat",)}, "unknown"),
        (wire.Chat("hello"), {"chat": ["[1 PM] <Alex>: hello"], "lies": ("sendChat",)}, "unknown"),
        (wire.Chat("hello"), {"chat": ["[1 PM] <Alex>: hello"]}, "verified"),
        (wire.Goto(HERE, 1), {}, "verified"),
        (wire.Goto(HERE, 1), {"lies": ("goToKnownLocation",)}, "refuted"),
        (wire.Goto(HERE, 1), {"says": {"goToKnownLocation": "Had trouble"}}, "refuted"),
        (wire.Follow("Kim", 2), {}, "unknown"),
        (wire.Craft("oak_planks", 4), {}, "verified"),
        (wire.Craft("oak_planks", 1), {}, "verified"),
        (wire.Craft("oak_planks", 8), {}, "refuted"),
        (wire.Craft("oak_planks", 4), {"lies": ("craftItems",)}, "refuted"),
        (wire.Craft("oak_planks", 4), {"items": dict(MANY)}, "unknown"),
        (wire.Place(HERE, "dirt"), {}, "unknown"),
        (wire.Place(HERE, "dirt"), {"lies": ("placeItemNearYou",)}, "refuted"),
        (wire.Place(HERE, "stone"), {"lies": ("placeItemNearYou",)}, "unknown"),
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
        (wire.Dig(HERE), "not at a place"),
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
    assert tools.place == (0, 64, 0)


async def test_a_walk_of_seventy_seconds_ends_with_its_slice_and_the_bot_stands_still(
    autojump_clock: MockClock,
) -> None:
    """K24."""
    tools = PublicTools(seconds={"goToKnownLocation": 70})
    done = await attempt(tools, wire.Goto(HERE, 1))
    assert done.status is not None
    assert done.status.state == "cancelled"
    assert effect_of(done).what == "refuted"
    assert tools.place == (0, 64, 0)


async def test_what_cannot_be_stopped_is_given_up_and_proves_nothing(
    autojump_clock: MockClock,
) -> None:
    done = await attempt(PublicTools(seconds={"craftItems": 70}), wire.Craft("oak_planks", 4))
    assert done.status is not None
    assert done.status.state == "uncertain"
    assert effect_of(done).what == "unknown"


async def test_joining_that_calls_itself_a_success_and_is_none_is_told_in_its_words(
    autojump_clock: MockClock,
) -> None:
    tools = PublicTools(says={"joinGame": "Joined!", "lookAround": "You see nothing"})
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


async def test_an_observation_is_the_bots_own_memory(autojump_clock: MockClock) -> None:
    tools = PublicTools()
    tools.hear("<Kim>: hi")
    tools.hear("[System] bo joined the game.")
    tools.says["lookAround"] = look(
        (0, 64, 0), MANY, "cow (2 blocks away)", "Ann (3 blocks away)", "bo (9 blocks away)"
    )
    tools.items = {"oak_planks": 4, "item_0": 1}
    async with joined(tools) as motor:
        observation = await motor.observe(REF)
    assert {sourced.source for sourced in observation.facts} == {"bot_cache"}
    facts = [sourced.fact for sourced in observation.facts]
    assert wire.PositionFact("Alex", wire.Point(0.5, 64, 0.5)) in facts
    assert wire.HealthFact("Alex", 17.5, 18) in facts
    assert wire.ChatFact("Kim", "hi") in facts
    carried = {f.item: f.count for f in facts if isinstance(f, wire.InventoryFact)}
    assert carried == MANY, "the eleventh item is told by the inventory alone"
    assert observation.near == ("Ann", "bo"), "a cow is nobody"
    seen = Surroundings("Alex", wire.MotorStatus(), observation)
    assert seen.near == ("Ann", "bo")
    assert "cow (2 blocks away)" in "\n".join(told(seen))


async def test_events_are_told_once_and_a_gap_is_seen(autojump_clock: MockClock) -> None:
    tools = PublicTools()
    async with joined(tools) as motor:
        tools.hear("<Kim>: hi")
        tools.hear("[System] <Kim> hi")
        tools.hear("[System] Bo left the game")
        first = await motor.poll_events(REF, None)
        tools.hear("<Kim>: hi")
        second = await motor.poll_events(REF, first.latest_sequence)
        third = await motor.poll_events(REF, second.latest_sequence)
        for number in range(150):
            tools.hear(f"<Kim>: {number}")
        flood = await motor.poll_events(REF, second.latest_sequence)
    assert [(e.type, e.data.player) for e in first.events] == [
        ("chat", "Kim"),
        ("player_leave", "Bo"),
    ]
    assert [(e.sequence, e.data.text) for e in second.events] == [(3, "hi")]
    assert third.events == ()
    assert [e.data.text for e in flood.events] == [str(number) for number in range(86, 150)]
    assert flood.events[0].sequence > second.latest_sequence + 1, "what was missed leaves a gap"
