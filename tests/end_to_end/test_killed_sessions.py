"""A session killed at any moment loses no settled action and no token of the bill."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import msgspec
import trio
from chat_server import ChatServer, chat_server
from practice import PracticeWorld, practice_world
from session_child import child, specification

from kernel.journal.run import RunWalk
from kernel.journal.verify import verify
from kernel.session import wire
from kernel.session.specification import BudgetCeiling, Sitting, Specification

KILLS = 30
DECISION = {
    "monologue": "There is something here.",
    "intent": "press a to see more",
    "notes": "I press a and look.",
    "objective": "see what happens",
    "action": "button_press",
    "button": "a",
    "holdFrames": 8,
}


async def test_killed_at_thirty_moments_it_keeps_every_settled_action_and_the_right_bill(
    tmp_path: Path,
) -> None:
    chance = random.Random(7)
    journals: list[str] = []
    with trio.fail_after(150):
        async with chat_server(answer=DECISION) as model, practice_world(tmp_path) as world:
            for _ in range(KILLS):
                path = await _play_and_kill(tmp_path, world, model, journals, chance.random())
                journals += [path] if path else []
            asked = model.requests
            start = _start(tmp_path, world, model, journals, KILLS, max_turns=None)
            async with child(start, toy=False) as session:
                first = await session.until(wire.Turn)
                await session.tell(wire.Stop(reason="enough", remaining=15))
                assert (await session.until(wire.Ended)).outcome == "stopped"
                running = await session.until(wire.Running)
            _check_the_world_against_the_journals(world, [*journals, running.journal])
    settled, unreported = _settled(journals), first.budget.unreported_calls
    assert first.budget.tokens == 110 * (settled + 1) + 16_000 * unreported
    assert settled <= asked <= settled + unreported, "a call is missing in the bill"
    assert first.card.objective == "see what happens"
    for path in [*map(Path, journals), Path(running.journal)]:
        assert [f for f in verify(path) if "torn" not in f.problem] == []
        for recorded in RunWalk(path).turns():
            assert recorded.turn.outcome in ("accepted", "unknown", "interrupted", "state_changed")


async def _play_and_kill(
    directory: Path, world: PracticeWorld, model: ChatServer, journals: list[str], luck: float
) -> str | None:
    start = _start(directory, world, model, journals, len(journals), max_turns=None)
    async with child(start, toy=False) as session:
        await session.until(wire.Joining)
        running = None
        if luck > 0.1:
            running = await session.until(wire.Running)
            await trio.sleep(luck * 0.25)
        os.kill(session.process.pid, signal.SIGKILL)
        await session.process.wait()
    found = [m for m in session.heard if isinstance(m, wire.Running)]
    return found[0].journal if running or found else None


def _start(
    directory: Path,
    world: PracticeWorld,
    model: ChatServer,
    journals: list[str],
    number: int,
    *,
    max_turns: int | None,
) -> Specification:
    return specification(
        directory,
        model.base_url,
        session_id=f"run-{number}-{random.randrange(2**32):x}",
        generation=number + 1,
        body="pokemon",
        options=world.options(),
        sitting=Sitting(id="s", began_at="x", earlier_journals=tuple(journals)),
        budget=BudgetCeiling(tokens=None, max_turns=max_turns),
    )


def _settled(journals: list[str]) -> int:
    lines = [msgspec.json.decode(t) for p in journals for t in _whole_lines(Path(p))]
    return sum(line["kind"] == "usage" and line["reported"] for line in lines)


def _whole_lines(path: Path) -> list[bytes]:
    return [line for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]


def _check_the_world_against_the_journals(world: PracticeWorld, journals: list[str]) -> None:
    lines = [msgspec.json.decode(t) for p in journals for t in _whole_lines(Path(p))]
    decided = [line["idempotencyKey"] for line in lines if line["kind"] == "decision"]
    settled = [line["idempotencyKey"] for line in lines if line["kind"] == "action"]
    ran = [act["idempotencyKey"] for act in world.acts() if not act["replayed"]]
    assert len(ran) == len(set(ran)), "an action ran twice"
    assert set(ran) <= set(decided), "an action reached the world before it was journaled"
    assert set(settled) <= set(ran), "a journal tells of an action that the world never saw"
    turns = [line["turn"]["turn"] for line in lines if line["kind"] == "turn"]
    assert len(turns) > 0
