"""The session process itself: real pipes, real signals, a real model server on loopback."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from chat_server import chat_server
from session_child import child, lines_of, specification, summary_of

from kernel.session import wire
from kernel.session.models import model_of
from kernel.session.specification import BudgetCeiling, ModelChoice, ModelRates, Sitting

ENDLESS = BudgetCeiling(tokens=None)


async def test_a_session_plays_and_says_so_in_order(tmp_path: Path) -> None:
    with trio.fail_after(60):
        async with (
            chat_server() as model,
            child(specification(tmp_path, model.base_url)) as session,
        ):
            ended = await session.until(wire.Ended)
            assert await session.process.wait() == 0
    kinds = [type(message) for message in session.heard]
    assert kinds[:3] == [wire.Hello, wire.Joining, wire.Running]
    assert kinds[-1] is wire.Ended
    assert kinds.count(wire.Turn) == 3
    assert (ended.outcome, ended.leave, ended.turns_taken) == ("finished", "confirmed", 3)
    lines = lines_of(tmp_path)
    assert lines[0]["kind"] == "header"
    summary = summary_of(tmp_path)
    assert (summary["outcome"], summary["leave"]) == ("finished", "confirmed")
    envelope = ("at", "runId", "journeyId", "environmentId", "environmentSessionId", "venue")
    assert all(set(envelope) <= set(line) for line in lines)
    assert model.requests == 3


async def test_a_stop_while_the_model_thinks_ends_in_order_and_at_once(tmp_path: Path) -> None:
    with trio.fail_after(60):
        async with (
            chat_server(stalled=True) as model,
            child(specification(tmp_path, model.base_url)) as session,
        ):
            await model.asked(1)
            await session.tell(wire.Stop(reason="enough", remaining=15))
            ended = await session.until(wire.Ended)
            assert await session.process.wait() == 0
    assert (ended.outcome, ended.detail, ended.leave) == ("stopped", "enough", "confirmed")
    assert outcomes_of(tmp_path) == ["interrupted"]


async def test_words_pauses_budgets_and_pings_reach_a_playing_session(tmp_path: Path) -> None:
    start = None
    with trio.fail_after(60):
        async with chat_server() as model:
            start = specification(tmp_path, model.base_url, budget=ENDLESS)
            async with child(start) as session:
                await session.until(wire.Turn)
                await session.tell(wire.Pause())
                await session.until(wire.Phase, phase="paused")
                before = model.requests
                await session.tell(wire.Say(id="s1", text="hello", speaker="Ann"))
                await session.tell(wire.Ping())
                assert (await session.until(wire.Received)).id == "s1"
                await session.until(wire.Heartbeat)
                assert model.requests == before
                await session.tell(wire.Budget(ceiling=BudgetCeiling(tokens=1)))
                await session.tell(wire.Resume())
                ended = await session.until(wire.Ended)
    assert ended.outcome == "budget_exhausted"
    assert [m.notable for m in _all(session, wire.Notable)] == ["budget_exhausted"]
    assert summary_of(tmp_path)["undelivered"]["count"] == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"garbage\n", "malformed"),
        (b'{"kind":"start","v":1,"specification":{"seat":7}}\n', "seat"),
        (b'{"kind":"ping","v":1}\n', "start"),
        (b'{"kind":"start","v":2,"specification":{}}\n', "$.v"),
        (b"x" * (300 * 1024), "longer"),
        (b'{"kind":"start","v":1,"\xff":1}\n', ""),
        (b'{"kind":"start","v":1,"specification":{"options":' + b"[" * 9_000 + b"\n", ""),
        (b'{"kind":"start","v":1,"specification":{"seat":"' + b"x" * 262_140 + b'"}}\n', "longer"),
        *(
            (b'{"kind":"start","v":1,"specification":{"%b":%b}}\n' % (field, value), words)
            for field, value, words in (
                (b"sessionId", b'"../run"', "sessionId"),
                (b"parent", b"0", "parent"),
                (b"parent", b"1099511627776", "parent"),
                (b"stateDirectory", b'"/state\\u0000"', "stateDirectory"),
                (b"mind", b'{"rates":{"input":-1}}', "rates.input"),
            )
        ),
    ],
)
async def test_a_malformed_specification_is_refused_in_one_line(line: bytes, words: str) -> None:
    with trio.fail_after(60):
        async with child(line) as session:
            refused = await session.until(wire.Refused)
            assert await session.process.wait() == 0
    assert refused.reason == "bad_specification"
    assert words in refused.detail
    assert b"Traceback" not in session.errors


@pytest.mark.parametrize(
    ("changes", "reason", "words"),
    [
        ({"body": "chess"}, "body_unknown", "there is no body named 'chess'"),
        ({"mind": None}, "no_model", "toy"),
        ({"budget": BudgetCeiling(dollars=1.0)}, "model_unpriced", "set its price"),
        ({"state_directory": "/proc"}, "state_unwritable", "/proc"),
        (
            {"sitting": Sitting(id="s", began_at="x", earlier_journals=("/nowhere.jsonl",))},
            "journal_damaged",
            "/nowhere.jsonl",
        ),
        ({"mode": "recover"}, "no_recovery", "toy"),
    ],
)
async def test_what_cannot_be_played_is_refused_by_name_with_nothing_written(
    tmp_path: Path, changes: dict[str, Any], reason: str, words: str
) -> None:
    with trio.fail_after(60):
        async with child(specification(tmp_path, "http://127.0.0.1:9/v1", **changes)) as session:
            refused = await session.until(wire.Refused)
            assert await session.process.wait() == 0
    assert refused.reason == reason
    assert words in refused.detail
    assert list(tmp_path.iterdir()) == []


async def test_what_only_shows_after_the_join_is_refused_and_is_no_stop(tmp_path: Path) -> None:
    mind = ModelChoice(
        name="toy", provider="openai", model="toy", base_url="http://127.0.0.1:9/v1", ca_file="/no"
    )
    with trio.fail_after(60):
        async with child(specification(tmp_path, "", mind=mind)) as session:
            refused = await session.until(wire.Refused)
            assert await session.process.wait() == 0
    assert (refused.reason, "ca_file" in refused.detail) == ("model_unusable", True)
    assert _all(session, wire.Stopping) == []


@pytest.mark.parametrize(("value", "outcome"), [("toy-recovery", "settled"), ("x", "unsettled")])
async def test_recovering_only_asks_and_says_whether_it_is_settled(
    tmp_path: Path, value: str, outcome: str
) -> None:
    start = specification(tmp_path, "", mode="recover", mind=None, recovery=value)
    with trio.fail_after(60):
        async with child(start) as session:
            assert (await session.until(wire.Ended)).outcome == outcome
    assert list(tmp_path.iterdir()) == []


async def test_an_unreachable_model_costs_the_turn_but_no_tokens_and_is_named(
    tmp_path: Path,
) -> None:
    start = specification(tmp_path, "http://127.0.0.1:9/v1", budget=BudgetCeiling(max_turns=1))
    with trio.fail_after(60):
        async with child(start) as session:
            turn = await session.until(wire.Turn)
            await session.until(wire.Ended)
    assert turn.card.outcome == "mind_failed"
    assert "connection" in turn.card.effect
    assert (turn.failures_in_row, turn.budget.tokens, turn.budget.unreported_calls) == (1, 0, 0)


async def test_a_lost_supervisor_ends_the_session_with_farewell_and_summary(
    tmp_path: Path,
) -> None:
    with trio.fail_after(60):
        async with (
            chat_server(stalled=True) as model,
            child(specification(tmp_path, model.base_url)) as session,
        ):
            await model.asked(1)
            assert session.process.stdin is not None
            await session.process.stdin.aclose()
            await session.process.wait()
    summary = summary_of(tmp_path)
    assert (summary["outcome"], summary["leave"]) == ("supervisor_lost", "confirmed")
    assert outcomes_of(tmp_path) == ["interrupted"], "it did not wait for the model's stall limit"


async def test_a_loop_that_a_busy_thread_blocks_dies_with_its_supervisor_and_so_does_its_motor(
    tmp_path: Path,
) -> None:
    """Case 6."""
    supervisor = await trio.lowlevel.open_process(["sleep", "600"])
    start = {"body": "busy", "parent": supervisor.pid}
    with trio.fail_after(60):
        async with (
            chat_server() as model,
            child(specification(tmp_path, model.base_url, **start), body="busy_body") as session,
        ):
            (motor,) = (await session.until(wire.Running)).descendants
            motors_end = os.pidfd_open(motor)
            await model.asked(1)
            supervisor.kill()
            await supervisor.wait()
            assert await session.process.wait() == -signal.SIGKILL
            await trio.lowlevel.wait_readable(motors_end)
            os.close(motors_end)
    assert not any(isinstance(message, wire.Ended) for message in session.heard)
    with pytest.raises(ProcessLookupError):
        os.killpg(session.process.pid, 0)


async def test_end_of_file_before_the_start_is_an_immediate_exit() -> None:
    with trio.fail_after(10):
        async with child(None) as session:
            assert session.process.stdin is not None
            await session.process.stdin.aclose()
            assert await session.process.wait() == 0


async def test_sigterm_writes_the_summary_and_waits_for_nothing(tmp_path: Path) -> None:
    with trio.fail_after(60):
        async with (
            chat_server(stalled=True) as model,
            child(specification(tmp_path, model.base_url)) as session,
        ):
            await model.asked(1)
            session.process.send_signal(signal.SIGTERM)
            ended = await session.until(wire.Ended)
    assert ended.outcome == "stopped"
    assert outcomes_of(tmp_path) == ["interrupted"], "it did not wait for the model's stall limit"
    assert summary_of(tmp_path)["outcome"] == "stopped"


async def test_a_killed_session_is_billed_for_what_it_had_reserved(tmp_path: Path) -> None:
    with trio.fail_after(60):
        async with chat_server() as model:
            start = specification(tmp_path, model.base_url, budget=ENDLESS)
            async with child(start) as session:
                await session.until(wire.Turn, 2)
                model.stall()
                await model.asked(model.requests + 1)
                os.kill(session.process.pid, signal.SIGKILL)
                running = await session.until(wire.Running)
            model.open.set()
            settled = model.answered
            again = specification(
                tmp_path,
                model.base_url,
                session_id="run-2",
                generation=2,
                sitting=Sitting(id="s", began_at="x", earlier_journals=(running.journal,)),
                budget=BudgetCeiling(tokens=None, max_turns=settled + 2),
            )
            async with child(again) as session:
                first = await session.until(wire.Turn)
                ended = await session.until(wire.Ended)
    assert first.budget.tokens == (settled + 1) * 110 + 16_000
    assert first.budget.unreported_calls == 1
    assert ended.turns_taken == 2


async def test_what_a_full_disk_kept_out_of_an_earlier_journal_is_charged_at_the_dearest_rate(
    tmp_path: Path,
) -> None:
    rates = ModelRates(input=1, cache_read=1, cache_write=1, output=10)
    lost = tmp_path / "lost.jsonl"
    lost.touch()
    with trio.fail_after(60):
        async with chat_server() as model:
            plain = specification(tmp_path, model.base_url)
            assert plain.mind is not None
            start = msgspec.structs.replace(
                plain,
                mind=msgspec.structs.replace(plain.mind, rates=rates),
                sitting=Sitting(
                    id="s", began_at="x", earlier_journals=(str(lost),), told_tokens=(100_000,)
                ),
            )
            async with child(start) as session:
                first = await session.until(wire.Turn)
    assert first.budget.tokens == 100_000 + 110
    assert first.budget.cost == pytest.approx(1, rel=0.01)
    assert first.budget.unreported_calls == 1


def _all(session: Any, kind: type) -> list[Any]:
    return [message for message in session.heard if isinstance(message, kind)]


def test_a_choice_of_model_never_shows_its_key() -> None:
    choice = ModelChoice(
        name="m", provider="openai", model="m", base_url="http://x", api_key="k-secret"
    )

    assert "k-secret" not in repr(model_of(choice))


def outcomes_of(directory: Path) -> list[str]:
    return [line["turn"]["outcome"] for line in lines_of(directory) if line["kind"] == "turn"]
