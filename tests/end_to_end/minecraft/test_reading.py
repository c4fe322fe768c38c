"""A run of the practice model with the practice motor, read by every journal command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import trio
from practice import practice_model
from session_child import child

from daemon.playctl.main import run
from kernel.session import wire
from kernel.session.specification import ModelChoice

QUESTIONS = ("Where are you?", "Who are you?")
ANSWERS = ("Ann: I am at (", "Ann: I am a practice player")
TURNS = 3


async def test_the_practice_model_plays_and_every_journal_command_reads_it(
    garden: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with trio.fail_after(80):
        async with practice_model() as address:
            mind = ModelChoice(
                name="practice", provider="openai", model="practice", base_url=address.rstrip("/")
            )
            start = garden.start(garden.practice_motor(), "", TURNS, mind=mind)
            async with child(start, toy=False) as session:
                for number, question in enumerate(QUESTIONS, 1):
                    await session.until(wire.Turn, number)
                    await session.tell(wire.Say(id=f"s{number}", text=question, speaker="Ann"))
                ended = await session.until(wire.Ended)
                await session.process.wait()
    assert (ended.outcome, ended.leave) == ("finished", "confirmed")
    assert [line["turn"]["outcome"] for line in garden.lines("turn")] == ["settled"] * TURNS
    for line, answer in zip(garden.lines("turn")[1:], ANSWERS, strict=True):
        assert line["turn"]["decision"]["action"]["kind"] == "chat"
        assert line["turn"]["decision"]["action"]["text"].startswith(answer)
    assert garden.lines("summary")[0]["undelivered"]["count"] == 0
    assert garden.left_over == []

    journal = str(garden.journal)

    def told(*arguments: str) -> str:
        assert run(["journal", *arguments]) == 0
        return capsys.readouterr().out

    assert told("verify", journal) == f"{journal} is whole.\n"
    evaluation = json.loads(told("evaluate", journal, "--json"))
    assert evaluation["run"]["scenarioId"] == "world:minecraft"
    assert evaluation["aggregate"]["outcomes"] == {"settled": TURNS}
    verdicts = evaluation["turns"][1]["verdicts"]
    assert verdicts["sceneActionAppropriateness"] == "unknown"
    assert evaluation["turns"][1]["movement"]["effectiveness"] == "unknown"
    assert 'say "Ann: I am at (' in told("show", journal, "1")
    assert "3 turns in 1 run" in told("story", journal)
    assert f"ended: finished after {TURNS} turns" in told("tail", journal)
    page = garden.directory / "run.html"
    told("report", journal, "-o", str(page))
    assert "Ann: I am at" in Path(page).read_text()
