"""The smallest body: a corridor with numbered tiles. A third game touches nothing in the kernel."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
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
from kernel.journal.lines import Evidence, Timing, Turn, TurnLine, opaque
from kernel.model.request import Prompt, Schema

BOUNDS = TextBounds(600, 200, 800, 160, 2000, 400, 500)
POLICY = Policy(BOUNDS, "cancel", False, 2, 5, False, "state_changed", "invalid_decision")


class Answer(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    monologue: str = "hm"
    intent: str = "go on"
    notes: str | None = None
    objective: str | msgspec.UnsetType | None = msgspec.UNSET
    reply: str | None = None
    speak: str | None = None
    step: int | None = 1


@dataclass
class Corridor:
    """A body in memory. `hooks` let a test act in the middle of a call."""

    policy: Policy = POLICY
    tile: int = 0
    notes: str | None = None
    objective: str | None = None
    hooks: dict[str, Callable[[], Any]] = field(default_factory=dict)
    acted: list[str] = field(default_factory=list)
    prompts: list[Any] = field(default_factory=list)
    turns: list[Any] = field(default_factory=list)
    over: trio.Event = field(default_factory=trio.Event)
    idle: bool = False
    act_seconds: float = 0.0
    pacing: float = 0.0

    async def _hook(self, name: str) -> None:
        await trio.lowlevel.checkpoint()
        if name in self.hooks:
            result = self.hooks[name]()
            if result is not None:
                await result

    async def join(self) -> Joined:
        await self._hook("join")
        return Joined("toy", "toy-session", "toy:journey", "local", "toy-recovery")

    def recall(self, memory: Memory) -> None:
        self.notes, self.objective = memory.notes, memory.objective

    def ready(self) -> Any:
        return "idle" if self.idle else None

    async def observe(self) -> Sight[int]:
        await self._hook("observe")
        stage = opaque({"observations": [{"tile": self.tile}], "provenance": None})
        return Sight(self.tile, self.tile, stage, f"tile {self.tile}")

    def prompt(self, sight: Sight[int], context: Any) -> Prompt:
        self.prompts.append(context)
        return Prompt(system="walk", parts=(f"tile {sight.native}",), schema=Schema("s", b"{}"))

    def decode(self, answer: bytes, sight: Sight[int]) -> Decision[int] | Invalid:
        try:
            read = msgspec.json.decode(answer, type=Answer)
        except msgspec.ValidationError as error:
            return Invalid("", str(error))
        return Decision(
            read.monologue, read.intent, read.notes, read.objective, read.reply, read.speak,
            read.step, f"step {read.step}", opaque({"kind": "step", "by": read.step}),
        )  # fmt: skip

    def known(self, decision: Decision[int], sight: Sight[int]) -> Settled[bool] | None:
        return None

    async def act(self, decision: Decision[int], key: str, stopping: trio.Event) -> Settled[bool]:
        await self._hook("act")
        await trio.sleep(self.act_seconds)
        assert decision.action is not None
        self.acted.append(key)
        self.tile += decision.action
        return Settled("accepted", False, opaque({"source": "environment", "result": {}}), True)

    def verify(self, before: Sight[int], settled: Any, after: Sight[int] | None) -> Effect:
        return Effect(f"from {before.native} to {after.native if after else '?'}")

    def remember(self, turn: Any) -> Remembered:
        self.turns.append(turn)
        decision, shown = turn.decision, turn.shown
        if decision is not None:
            self.notes = decision.notes or self.notes
            if decision.objective is not msgspec.UNSET:
                self.objective = decision.objective
        line = TurnLine(
            turn=Turn(
                turn=turn.number, outcome=turn.outcome, notes=self.notes, objective=self.objective,
                observation_sha256=hashlib.sha256(shown.stage).hexdigest() if shown else None,
                monologue=decision.monologue if decision else None,
                intent=decision.intent if decision else None,
                action=decision.payload if decision else msgspec.Raw(b"null"),
                effect=turn.effect.text if turn.effect else None,
            ),
            evidence=opaque(Evidence(
                decision=turn.shown.stage if turn.shown else msgspec.Raw(b"null"),
                timing=Timing(), window=turn.window,
            )),
        )  # fmt: skip
        return Remembered(line, self.notes, self.objective)

    def pace(self) -> float:
        return self.pacing

    async def ended(self) -> WorldEnded:
        await self.over.wait()
        return WorldEnded("the corridor fell in", confirmed=True)

    async def leave(self) -> Leave:
        await self._hook("leave")
        return Leave("confirmed", "bye")

    def totals(self) -> Totals:
        return Totals(opaque({"tile": self.tile}))

    def stats(self) -> dict[str, int]:
        return {"reconnects": 0}


@asynccontextmanager
async def opened(corridor: Corridor) -> AsyncGenerator[Corridor]:
    yield corridor


async def _settled(_options: msgspec.Raw, recovery: str) -> bool:
    await trio.lowlevel.checkpoint()
    return recovery == "toy-recovery"


KIND = BodyKind("toy", ("toy",), lambda _o, _s: opened(Corridor()), _settled, lambda: None)
