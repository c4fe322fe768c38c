"""Journals to test with."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import trio
from msgspec import UNSET

from kernel.journal.lines import (
    NULL,
    Envelope,
    Evidence,
    HeaderLine,
    Stage,
    Timing,
    Turn,
    TurnLine,
    opaque,
)
from kernel.journal.writer import JournalWriter

STARTED_AT = "2026-03-01T10:00:00.000Z"

OpenWriter = Callable[..., JournalWriter]
MakeTurn = Callable[..., TurnLine]


@pytest.fixture
def journals(tmp_path: Path) -> Path:
    return tmp_path / "journals"


@pytest.fixture
def open_writer(journals: Path) -> Iterator[OpenWriter]:
    """Opens writers whose clock advances a quarter of a second with each look at it."""

    opened: list[JournalWriter] = []
    ticks = iter(range(10**9))

    def open_one(
        run_id: str = "run-1",
        *,
        journey_id: str = "world:w:player:p",
        environment_id: str = "pokemon-firered",
        generation: int = 1,
        started_at: str = STARTED_AT,
    ) -> JournalWriter:
        journal = JournalWriter(
            journals,
            Envelope(
                run_id=run_id,
                journey_id=journey_id,
                environment_id=environment_id,
                environment_session_id="ses-1",
                venue="world",
            ),
            HeaderLine(
                scenario_id="world:pokemon-firered",
                started_at=started_at,
                driver_generation=generation,
            ),
            wall=lambda: 1_800_000_000 + next(ticks) / 4,
        )
        opened.append(journal)
        return journal

    yield open_one
    for journal in opened:
        trio.run(journal.close)


@pytest.fixture
def make_turn() -> MakeTurn:
    return turn_line


def turn_line(
    number: int,
    *,
    notes: str | None = "a note",
    objective: str | None = "go north",
    intent: str = "press up",
    with_evidence: bool = True,
) -> TurnLine:
    seen = opaque({"data": {"mode": "overworld"}, "kind": "scene"})
    stage = opaque(
        Stage(
            observations=(seen,),
            provenance=opaque({"bodyGeneration": 1}),
        )
    )
    evidence = Evidence(
        decision=stage,
        immediate_pre_action=stage,
        post_action=NULL,
        action_result=opaque({"source": "environment", "result": {"status": "completed"}}),
        timing=Timing(decision_started_at=STARTED_AT),
        window=0,
    )
    return TurnLine(
        turn=Turn(
            turn=number,
            observation_sha256=hashlib.sha256(b"[%b]" % bytes(seen)).hexdigest(),
            monologue="hm — é",
            intent=intent,
            notes=notes,
            objective=objective,
            action=opaque({"kind": "button_press", "button": "up", "holdFrames": 8}),
            outcome="accepted",
        ),
        evidence=opaque(evidence) if with_evidence else NULL,
        screenshot=UNSET,
    )
