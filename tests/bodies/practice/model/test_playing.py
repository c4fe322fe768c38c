"""The practice model plays the practice world through a real session process."""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import trio

from kernel.session import wire
from kernel.session.specification import BudgetCeiling, ModelChoice, Sitting, Specification

Json = dict[str, Any]
TURNS = 20


async def test_in_twenty_turns_it_sees_places_reads_a_dialog_talks_and_is_billed_as_counted(
    tmp_path: Path, practice: Callable[..., Any]
) -> None:
    log, state = tmp_path / "model.jsonl", tmp_path / "state"
    world = ("world", "--state", str(tmp_path / "world"), "--speed", "200", "--push-every", "0")
    state.mkdir()
    with trio.fail_after(120):
        async with (
            practice(*world) as (_, (_, address)),
            practice("model", "--log", str(log)) as (_, (_, base_url)),
        ):
            ended = await _play(_specification(state, address, base_url))
    lines = _lines(next((state / "journals").glob("*.jsonl")))
    turns = [line for line in lines if line["kind"] == "turn"]
    played = [line["turn"] for line in turns]

    assert (ended.outcome, ended.leave, ended.turns_taken) == ("finished", "confirmed", TURNS)
    assert {turn["outcome"] for turn in played} <= {
        "accepted",
        "rejected_by_adapter",
        "state_changed",
    }
    assert all(turn["monologue"] and turn["intent"] and turn["objective"] for turn in played)
    assert any(turn["speak"] for turn in played)
    assert any(turn["action"]["kind"] == "advance_dialog" for turn in played)
    reached = turns[-1]["evidence"]["progressAfter"]
    assert reached["distinctTiles"] >= 5
    assert len(reached["maps"]) >= 2

    counted = _lines(log)
    assert all(entry["outcome"] == "whole" and entry["usageReported"] for entry in counted)
    settled = [line for line in lines if line["kind"] == "usage" and line["stage"] == "settled"]
    assert [(line["input"], line["cacheRead"], line["output"]) for line in settled] == [
        (entry["promptTokens"], entry["cachedTokens"], entry["completionTokens"])
        for entry in counted
    ]


def _specification(state: Path, address: str, base_url: str) -> Specification:
    options = {"address": address, "game": "firered", "displayName": "Demo", "credential": "one"}
    return Specification(
        session_id="run-1",
        seat="demo",
        generation=1,
        sitting=Sitting(id="sitting-1", began_at="2026-01-01T00:00:00.000Z"),
        parent=os.getpid(),
        state_directory=str(state),
        body="pokemon",
        options=msgspec.Raw(msgspec.json.encode(options)),
        mind=ModelChoice(name="practice", provider="openai", model="practice", base_url=base_url),
        budget=BudgetCeiling(tokens=None, max_turns=TURNS),
    )


async def _play(specification: Specification) -> wire.Ended:
    """Run one session process to its end."""
    start = wire.encode_line(wire.Start(specification=specification))
    async with trio.open_nursery() as nursery:
        run = partial(
            trio.run_process,
            [sys.executable, "-m", "kernel.session"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        process: trio.Process = await nursery.start(run)
        assert process.stdin is not None
        assert process.stdout is not None
        await process.stdin.send_all(start)
        heard = b"".join([chunk async for chunk in process.stdout])
    ended = wire.from_session_decoder.decode(heard.splitlines()[-1])
    assert isinstance(ended, wire.Ended), ended
    return ended


def _lines(path: Path) -> list[Json]:
    return [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
