"""A motor in the hand: joined, advanced by ticks, and asked without any process."""

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from bodies.practice.motor import motor as motors
from bodies.practice.motor.motor import Motor, advanced, new_motor
from bodies.practice.motor.tools import perform
from bodies.practice.motor.wire import ActionStatus, Endpoint, JoinRequest, SessionRef

SESSION = {"sessionId": "s-1", "connectionGeneration": 1}


@dataclass
class Bench:
    """Keeps the current motor, so that a test reads as what is asked one after the other."""

    motor: Motor

    def wait(self, ticks: int) -> None:
        self.motor = advanced(self.motor, self.motor.world.tick + ticks)

    def ask(self, tool, **arguments):
        if tool not in ("status", "join"):
            arguments = {"session": SESSION, **arguments}
        self.motor, answer = perform(self.motor, tool, arguments)
        return answer

    def join(self, generation: int = 1) -> None:
        request = JoinRequest(
            SessionRef("s-1", generation), "home", Endpoint("h", 1, "1.20.1", "Bot", "offline")
        )
        self.motor, _ = motors.join(self.motor, request)
        self.wait(4)

    def act(self, action_id: str, kind: str, **fields) -> ActionStatus:
        return self.ask("act", actionId=action_id, action={"kind": kind, **fields})

    def settle(self, action_id: str, bound: int = 1200) -> ActionStatus:
        """The action's status once it has ended; it fails past this many ticks."""
        end = self.motor.world.tick + bound
        while self.motor.under_way == action_id:
            assert self.motor.world.tick < end, f"{action_id} does not end"
            self.wait(1)
        return self.ask("action_status", actionId=action_id)

    def do(self, action_id: str, kind: str, **fields) -> ActionStatus:
        self.act(action_id, kind, **fields)
        return self.settle(action_id)

    @property
    def bot(self):
        return self.motor.world.bot


@pytest.fixture
def fresh() -> Bench:
    """Nothing was joined yet; the world is at its first morning."""
    return Bench(new_motor(0, datetime(2026, 1, 1, tzinfo=UTC)))


@pytest.fixture
def bench(fresh: Bench) -> Bench:
    fresh.join()
    return fresh
