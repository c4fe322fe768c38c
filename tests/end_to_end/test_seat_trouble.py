"""A real session at a real seat: its world misbehaves, its disk fills, its operator stops it."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from chat_server import chat_server
from practice import practice_world
from session_child import child, lines_of, specification, summary_of

from kernel.journal.verify import verify
from kernel.session import wire
from kernel.session.specification import BudgetCeiling, Specification

DECISION = {
    "monologue": "There is something here.",
    "intent": "press a to see more",
    "objective": "see what happens",
    "action": "button_press",
    "button": "a",
    "holdFrames": 8,
}


def start(directory: Path, base_url: str, options: msgspec.Raw, turns: int) -> Specification:
    return specification(
        directory,
        base_url,
        body="pokemon",
        options=options,
        budget=BudgetCeiling(tokens=None, max_turns=turns),
    )


async def test_a_stop_inside_a_seventy_second_action_abandons_it_before_the_deadline(
    tmp_path: Path,
) -> None:
    slow = ("--speed", "1", "--misbehave", "slow:70@act=2")
    with trio.fail_after(60):
        async with (
            chat_server(answer=DECISION) as model,
            practice_world(tmp_path, *slow) as world,
            child(start(tmp_path, model.base_url, world.options(), 9), toy=False) as session,
        ):
            await session.until(wire.Phase, 2, phase="acting")
            stopped_at = trio.current_time()
            await session.tell(wire.Stop(reason="enough", remaining=7))
            ended = await session.until(wire.Ended)
            await session.process.wait()
            took = trio.current_time() - stopped_at
    assert took <= 7
    assert ended.outcome == "stopped"
    turns = [line["turn"]["outcome"] for line in lines_of(tmp_path) if line["kind"] == "turn"]
    assert turns == ["accepted", "interrupted"]
    assert summary_of(tmp_path)["outcome"] == "stopped"


async def test_a_stop_that_is_made_sterner_within_its_time_is_no_missed_deadline(
    tmp_path: Path,
) -> None:
    slow = ("--speed", "1", "--misbehave", "slow:70@act=2")
    with trio.fail_after(60):
        async with (
            chat_server(answer=DECISION) as model,
            practice_world(tmp_path, *slow) as world,
            child(start(tmp_path, model.base_url, world.options(), 9), toy=False) as session,
        ):
            await session.until(wire.Phase, 2, phase="acting")
            await session.tell(wire.Stop(reason="enough", remaining=300))
            await session.until(wire.Stopping)
            session.process.terminate()
            ended = await session.until(wire.Ended)
    assert (ended.outcome, summary_of(tmp_path)["outcome"]) == ("stopped", "stopped")


@pytest.mark.parametrize(
    ("misdeed", "outcome", "detail"),
    [
        ("end@act=3", "world_ended", "session_ended"),
        ("takeover@act=3", "world_ended", "taken_over"),
        ("close:4001@act=3", "world_ended", "session_ended"),
        ("drop-after@act=3", "finished", ""),
        ("drop-before@act=3", "finished", ""),
        ("close:1011@observe=4", "finished", ""),
        ("garbage@act=3", "finished", ""),
        ("oversize@observe=4", "finished", ""),
        ("refuse:rate_limited/200@observe=5", "finished", ""),
    ],
)
async def test_what_a_world_does_wrong_ends_the_session_or_costs_it_nothing(
    tmp_path: Path, misdeed: str, outcome: str, detail: str
) -> None:
    with trio.fail_after(60):
        async with (
            chat_server(answer=DECISION) as model,
            practice_world(tmp_path, "--speed", "200", "--misbehave", misdeed) as world,
            child(start(tmp_path, model.base_url, world.options(), 6), toy=False) as session,
        ):
            ended = await session.until(wire.Ended)
        assert ended.outcome == outcome
        assert detail in ended.detail
        assert b"Traceback" not in session.errors
        ran = Counter(act["idempotencyKey"] for act in world.acts() if not act["replayed"])
        assert set(ran.values()) == {1}, "an action ran twice"
    (journal,) = (tmp_path / "journals").glob("*.jsonl")
    assert verify(journal) == []
    assert summary_of(tmp_path)["outcome"] == outcome


@pytest.mark.parametrize(
    ("changes", "arguments", "reason"),
    [
        ({"credential": None}, (), "no_credential"),
        ({"address": "ws://127.0.0.1:9"}, (), "world_unreachable"),
        ({"game": "emerald"}, (), "region_not_hosted"),
        ({}, ("--misbehave", "refuse:world_full@join=1"), "world_full"),
        ({}, ("--misbehave", "refuse:unauthorized@join=1"), "world_refused"),
        ({}, ("--misbehave", "withhold:world.act@join=1"), "world_refused"),
        ({"address": "ws://192.0.2.1:80"}, (), "world_refused"),
        ({"address": "gopher://x"}, (), "world_refused"),
        ({"nonsense": 1}, (), "world_refused"),
    ],
)
async def test_a_join_that_cannot_be_is_refused_by_name_without_a_trace(
    tmp_path: Path, changes: dict[str, Any], arguments: tuple[str, ...], reason: str
) -> None:
    state = tmp_path / "state"
    state.mkdir()
    with trio.fail_after(60):
        async with (
            practice_world(tmp_path, "--speed", "200", *arguments) as world,
            child(
                start(state, "http://127.0.0.1:9/v1", world.options(**changes), 6), toy=False
            ) as session,
        ):
            refused = await session.until(wire.Refused)
    assert refused.reason == reason
    assert b"Traceback" not in session.errors
    assert b"key-of-bo" not in session.errors
    assert "key-of-bo" not in refused.detail
    assert list(state.iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Generator[Path]:
    """A disk of its own that is quickly full."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small disk needs root")
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place], check=True)
    yield place
    subprocess.run(["umount", "-l", place], check=True)


async def test_play_goes_on_over_a_disk_that_fills_and_empties_again(
    tmp_path: Path, small_disk: Path
) -> None:
    ballast = small_disk / "ballast"
    with trio.fail_after(60):
        async with (
            chat_server(answer=DECISION) as model,
            practice_world(tmp_path) as world,
            child(start(small_disk, model.base_url, world.options(), 400), toy=False) as session,
        ):
            await session.until(wire.Turn, 3)
            _fill(ballast)
            await session.until(wire.Stats)
            full_at = len([m for m in session.heard if isinstance(m, wire.Turn)])
            await session.until(wire.Turn, full_at + 30)
            ballast.unlink()
            await session.until(wire.Turn, full_at + 60)
            await session.tell(wire.Stop(reason="enough", remaining=15))
            ended = await session.until(wire.Ended)
    assert ended.outcome == "stopped"
    (journal,) = (small_disk / "journals").glob("*.jsonl")
    lines = lines_of(small_disk)
    kinds = Counter(line["kind"] for line in lines)
    assert kinds["journal_gap"] >= 1
    summary = summary_of(small_disk)
    assert summary["droppedEvidenceEvents"] > 0
    assert kinds["turn"] < ended.turns_taken
    reported = sum(line["kind"] == "usage" and line["reported"] for line in lines)
    assert reported * 110 == summary["usage"]["charged"] - 16_000 * summary["unreportedCalls"]
    assert [finding.problem for finding in verify(journal) if "lost" not in finding.problem] == []


def _fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            return
