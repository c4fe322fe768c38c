"""The practice motor and the Minecraft body's client, neither of them made from the other."""

import sys
from contextlib import asynccontextmanager

import trio

from bodies.minecraft import wire
from bodies.minecraft.consistency import contradiction_in_action, mismatch
from bodies.minecraft.motor.client import connected
from bodies.minecraft.motor.native import NEEDED, NativeMotor
from bodies.minecraft.options import Profile

COMMAND = (sys.executable, "-m", "bodies.practice.main", "motor", "--speed", "200")
SESSION = wire.SessionRef("s-1", 1)
HOME = Profile(id="home", host="localhost", port=25565, version="1.20.1", username="Bot")


@asynccontextmanager
async def _joined(*options):
    losses = []
    async with connected((*COMMAND, *options), losses.append) as connection:
        assert connection.names >= NEEDED
        motor = NativeMotor(connection.client)
        assert await motor.status() == wire.MotorStatus()
        await motor.join(SESSION, HOME)
        while (await motor.status()).phase != "active":
            pass
        yield motor
    assert losses == []


def _errands(position, number):
    x, y, z = int(position.x), int(position.y), int(position.z)
    beside = wire.BlockPosition(x + 1, y - 1, z)
    return (
        wire.Chat(f"errand {number}"),
        wire.Goto(wire.BlockPosition(x + 5 - 2 * number, y, z + 4), 3),
        wire.Dig(beside),
        wire.Place(beside, "dirt"),
        wire.Build((wire.Placement(wire.BlockPosition(x, y + 2, z + 1), "dirt"),)),
        wire.Craft("oak planks", 4),
        wire.Follow("Wren", 4.5),
    )


async def test_everything_it_says_is_read_and_agrees_with_itself():
    kinds = set()
    async with _joined() as motor:
        for number in range(3):
            seen = await motor.observe(SESSION)
            position = next(
                each.fact.position
                for each in seen.facts
                if isinstance(each.fact, wire.PositionFact) and each.fact.player == "Bot"
            )
            for action in _errands(position, number):
                action_id = f"{number}-{type(action).__name__}"
                status = await motor.act(SESSION, action_id, action)
                with trio.fail_after(60):
                    while not status.over:
                        assert mismatch(status, SESSION, action_id, action) is None
                        status = await motor.action_status(SESSION, action_id)
                assert contradiction_in_action(status) is None
                kinds.add(type(status.evidence).__name__)
        page = await motor.poll_events(SESSION, None)
        assert page.latest_sequence > 0
        leaving = await motor.leave(SESSION)
        while leaving.phase != "disconnected":
            leaving = await motor.status()
    assert len(kinds) >= 2
