"""Sets a whole session's loop on a stage: a corridor, a scripted model, a real journal file."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import trio
from scripted_model import ENDPOINT, ScriptedModel
from toy_body import Corridor

from kernel.budget import SittingBudget
from kernel.controls import Controls, Ending
from kernel.deciding import Deciding
from kernel.journal.instant import utc_now
from kernel.journal.lines import Envelope, HeaderLine
from kernel.journal.writer import JournalWriter
from kernel.lease import HeldLease, boottime
from kernel.mind import Mind, Model
from kernel.model.prices import Rates
from kernel.notables import Notables
from kernel.play import Play, Sofar
from kernel.session.specification import BudgetCeiling
from kernel.speaking import Speaking
from kernel.speech_gate import SpeechGate
from kernel.telling import Telling
from kernel.trail import Trail
from kernel.voice import Voice
from kernel.world_events import LatestEvent

PRICED = Rates(input=Decimal(1), cache_read=Decimal(1), cache_write=Decimal(1), output=Decimal(2))


@dataclass
class Stage:
    """Everything that a test of the loop looks at."""

    play: Play
    body: Corridor
    model: ScriptedModel
    controls: Controls
    budget: SittingBudget
    sent: list[Any] = field(default_factory=list)

    async def run(self) -> Ending:
        return await self.play.run()

    def lines(self, kind: str | None = None) -> list[dict[str, Any]]:
        text = self.play.trail.writer.path.read_bytes()
        lines = [msgspec.json.decode(line) for line in text.splitlines()]
        return [line for line in lines if kind is None or line["kind"] == kind]

    def messages(self, kind: type) -> list[Any]:
        return [message for message in self.sent if isinstance(message, kind)]


@asynccontextmanager
async def staged(
    directory: Path,
    *,
    body: Corridor | None = None,
    model: ScriptedModel | None = None,
    voice: ScriptedModel | None = None,
    ceiling: BudgetCeiling | None = None,
    rates: Rates | None = PRICED,
    room_authors: bool = False,
    lease_seconds: float = 10_000_000.0,
    sofar: Sofar | None = None,
) -> AsyncGenerator[Stage]:
    body, model = body or Corridor(), model or ScriptedModel()
    sent: list[Any] = []
    controls = Controls()
    budget = SittingBudget(ceiling or BudgetCeiling(max_turns=3), unpriced=rates is None)
    envelope = Envelope(
        run_id="run-1",
        journey_id="toy:journey",
        environment_id="toy",
        environment_session_id="toy-session",
        venue="local",
    )
    header = HeaderLine(scenario_id="local:toy", started_at=utc_now(), driver_generation=1)
    trail = Trail(JournalWriter(directory, envelope, header))
    mind = Mind("mind", Model(ENDPOINT, rates, 500), model, budget, trail.write, sent.append)
    gate = SpeechGate()

    play = Play(
        body=body,
        controls=controls,
        lease=HeldLease(lease_seconds, boottime()),
        budget=budget,
        trail=trail,
        deciding=Deciding(
            body, mind, controls, budget, LatestEvent(controls.ring), gate, "a persona"
        ),
        speaking=Speaking(
            bounds=body.policy.bounds,
            gate=gate,
            controls=controls,
            budget=budget,
            emit=sent.append,
            room_authors=room_authors,
            voice=voice
            and Voice(
                Mind("voice", Model(ENDPOINT, rates, 100), voice, budget, trail.write, sent.append),
                "a persona",
            ),
        ),
        telling=Telling(Notables(), trail.write, sent.append, controls.acknowledged),
        sofar=sofar or Sofar(trio.current_time()),
        run_id="run-1",
        emit=sent.append,
        room=lambda: None,
    )
    yield Stage(play, body, model, controls, budget, sent)
    await trail.writer.close()
