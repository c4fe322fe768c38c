"""A third game in sixty lines: a die on a table. The kernel plays it and knows nothing of it."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import trio

from kernel.bodies import BodyKind
from kernel.body import (
    Decision,
    Effect,
    Invalid,
    Joined,
    Leave,
    Memory,
    Policy,
    Remembered,
    Settled,
    Sight,
    TextBounds,
    Totals,
    WorldEnded,
)
from kernel.journal.lines import NULL, Turn, TurnLine, opaque
from kernel.model.request import Prompt, Schema

BOUNDS = TextBounds(600, 200, 800, 160, None, None, 500)


class Die:
    policy = Policy(BOUNDS, "cancel", False, 2, 5, False, "state_changed", "invalid_decision")
    shows = 1

    async def join(self) -> Joined:
        return Joined("dice", "table-1", "dice:table-1", "local", "none")

    async def observe(self) -> Sight[int]:
        stage = opaque({"observations": [{"shows": self.shows}], "provenance": None})
        return Sight(self.shows, self.shows, stage, f"the die shows {self.shows}")

    def prompt(self, sight: Sight[int], context: Any) -> Prompt:
        return Prompt(system="turn the die", parts=(sight.scene,), schema=Schema("die", b"{}"))

    def decode(self, answer: bytes, sight: Sight[int]) -> Decision[int] | Invalid:
        face = msgspec.json.decode(answer).get("face")
        if face not in range(1, 7):
            return Invalid("face", "1 to 6 is wanted")
        said = (str(face), f"show {face}", None, None, None, None)
        return Decision(*said, action=face, description=f"turn to {face}", payload=opaque(face))

    async def act(self, decision: Decision[int], key: str, stopping: trio.Event) -> Settled[int]:
        self.shows = decision.action or self.shows
        return Settled("accepted", False, opaque({"shows": self.shows}), self.shows)

    def verify(self, before: Sight[int], settled: Settled[int], after: Any) -> Effect:
        return Effect(f"it was {before.native} and is {settled.native}")

    def remember(self, turn: Any) -> Remembered:
        effect, decision, shown = turn.effect, turn.decision, turn.shown
        told = Turn(
            turn=turn.number, outcome=turn.outcome, notes=None, objective=None,
            observation_sha256=hashlib.sha256(shown.stage).hexdigest() if shown else None,
            monologue=decision.monologue if decision else None,
            intent=decision.intent if decision else None,
            action=decision.payload if decision else NULL,
            effect=effect.text if effect else None,
        )  # fmt: skip
        return Remembered(TurnLine(turn=told), None, None)

    def recall(self, memory: Memory) -> None: ...
    def ready(self) -> None: ...
    def known(self, decision: Any, sight: Any) -> None: ...
    def pace(self) -> float:
        return 0.0

    async def ended(self) -> WorldEnded:
        await trio.sleep_forever()
        raise AssertionError

    async def leave(self) -> Leave:
        return Leave("confirmed")

    def totals(self) -> Totals:
        return Totals(opaque({"shows": self.shows}))

    def stats(self) -> dict[str, int]:
        return {}


@asynccontextmanager
async def opened(_options: msgspec.Raw, _side: Any) -> AsyncGenerator[Die]:
    yield Die()


async def settled(_options: msgspec.Raw, _recovery: str) -> bool:
    return True


KIND = BodyKind("dice", ("dice",), opened, settled, lambda: None)
