"""The loop, driven on a virtual clock with a corridor as its world."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from msgspec.structs import replace
from scripted_model import ScriptedModel, answer, failure
from stage import staged
from toy_body import POLICY, Corridor
from trio.testing import MockClock

from kernel.body import BodyTrouble, WorldEnded
from kernel.controls import Ending
from kernel.journal.lines import LINE_LIMIT, NotableLine
from kernel.model.errors import FailureKind
from kernel.model.usage import NOTHING_USED, Usage
from kernel.session import wire
from kernel.session.specification import BudgetCeiling

STOP = Ending("stopped", "the operator said so", patience=10.0, over_in=14.5)


async def test_k1_a_turn_observes_decides_looks_again_acts_and_looks_once_more(
    tmp_path: Path,
    autojump_clock: MockClock,
) -> None:
    order: list[str] = []
    body = Corridor(hooks={name: lambda n=name: order.append(n) for name in ("observe", "act")})
    async with staged(tmp_path, body=body, ceiling=BudgetCeiling(max_turns=1)) as stage:
        ending = await stage.run()
    assert order == ["observe", "observe", "act", "observe"]
    assert ending.outcome == "finished"


async def test_k2_every_turn_has_its_own_number_and_a_failed_one_uses_it_up(
    tmp_path: Path,
    autojump_clock: MockClock,
) -> None:
    model = ScriptedModel([failure(), answer(), answer(step="nowhere"), answer()])
    async with staged(tmp_path, model=model, ceiling=BudgetCeiling(max_turns=4)) as stage:
        await stage.run()
        turns = [line["turn"] for line in stage.lines("turn")]
    assert [turn["turn"] for turn in turns] == [0, 1, 2, 3]
    assert [turn["outcome"] for turn in turns] == [
        "mind_failed",
        "accepted",
        "invalid_decision",
        "accepted",
    ]


@pytest.mark.parametrize(
    ("ceiling", "idle", "outcome"),
    [
        (BudgetCeiling(tokens=0, max_turns=0), True, "budget_exhausted"),
        (BudgetCeiling(max_turns=0), True, "finished"),
        (BudgetCeiling(max_duration=0), True, "finished"),
        (BudgetCeiling(dollars=0), True, "budget_exhausted"),
        (BudgetCeiling(), True, "idle"),
    ],
)
async def test_k3_what_ends_a_session_before_a_turn_is_asked_in_order(
    tmp_path: Path, autojump_clock: MockClock, ceiling: BudgetCeiling, idle: bool, outcome: str
) -> None:
    async with staged(tmp_path, body=Corridor(idle=idle), ceiling=ceiling) as stage:
        assert (await stage.run()).outcome == outcome
        assert stage.model.prompts == []
        assert stage.lines("turn") == []


async def test_k3_a_stop_outranks_every_other_ending(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with staged(tmp_path, ceiling=BudgetCeiling(tokens=0)) as stage:
        stage.controls.end(STOP)
        assert (await stage.run()).outcome == "stopped"


async def test_k6_a_message_replaces_a_proposal_twice_and_then_waits(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with staged(tmp_path, ceiling=BudgetCeiling(max_turns=2)) as stage:

        async def talk() -> None:
            for text in ("one", "two", "three"):
                await trio.sleep(0.4)
                stage.controls.say("Ann", text, "2026-01-01T00:00:00.000Z")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(talk)
            await stage.run()
        first, second = stage.messages(wire.Turn)
        assert first.preemptions == {"message": 2, "changed": 0}
        assert second.preemptions == {"message": 0, "changed": 0}
        assert stage.model.withdrawn == 2
        shown = [[said.text for said in context.heard] for context in stage.body.prompts]
        assert shown == [[], ["one"], ["one", "two"], ["three"]]


async def test_k16a_a_message_counts_as_delivered_only_by_a_decision_that_saw_it(
    tmp_path: Path,
    autojump_clock: MockClock,
) -> None:
    model = ScriptedModel([failure(), answer(step="x"), answer(), answer()])
    async with staged(tmp_path, model=model, ceiling=BudgetCeiling(max_turns=4)) as stage:
        stage.controls.say("Ann", "hello", "2026-01-01T00:00:00.000Z")
        await stage.run()
        shown = [[(s.text, s.again) for s in c.heard] for c in stage.body.prompts]
    assert shown == [[("hello", False)], [("hello", True)], [("hello", True)], []]


async def test_k16a_a_decision_that_the_world_overtook_delivers_nothing(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    body = Corridor()
    looks = itertools.count(1)

    def drift() -> None:
        body.tile += next(looks) <= 4  # no proposal of the first turn stands

    body.hooks["observe"] = drift
    async with staged(tmp_path, body=body, ceiling=BudgetCeiling(max_turns=3)) as stage:
        stage.controls.say("Ann", "hello", "2026-01-01T00:00:00.000Z")
        await stage.run()
        shown = [[(said.text, said.again) for said in c.heard] for c in stage.body.prompts]
        heard = [[said.text for said in facts.heard] for facts in stage.body.turns]
        outcomes = [facts.outcome for facts in stage.body.turns]
    again = [("hello", True)]
    assert shown == [[("hello", False)], again, again, again, []]
    assert heard == [["hello"], ["hello"], []]
    assert outcomes == ["state_changed", "accepted", "accepted"]


async def test_forty_messages_in_one_proposal_are_all_delivered_in_order(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    texts = [f"{n:02} ".ljust(500, "x") for n in range(40)]
    async with staged(tmp_path, ceiling=BudgetCeiling(tokens=None, max_turns=40)) as stage:

        async def storm() -> None:
            await trio.sleep(0.5)
            for text in texts:
                stage.controls.say("Ann", text, "2026-01-01T00:00:00.000Z")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(storm)
            await stage.run()
        delivered: list[str] = []
        for context, facts in zip(stage.body.prompts[1:], stage.body.turns, strict=False):
            assert len(context.heard) <= 3
            assert all(len(said.text) <= 500 for said in context.heard)
            assert facts.heard == context.heard
            delivered += [said.text for said in context.heard]
        assert stage.messages(wire.Turn)[0].preemptions["message"] == 1
    assert "".join(delivered).replace("\n", "") == "".join(texts)


async def test_k8_another_state_asks_for_a_fresh_proposal_twice_and_then_does_nothing(
    tmp_path: Path,
    autojump_clock: MockClock,
) -> None:
    body = Corridor()

    def drift() -> None:
        body.tile += 1

    body.hooks["observe"] = drift
    async with staged(tmp_path, body=body, ceiling=BudgetCeiling(max_turns=1)) as stage:
        await stage.run()
        (turn,) = stage.messages(wire.Turn)
        assert turn.card.outcome == "state_changed"
        assert turn.preemptions == {"message": 0, "changed": 2}
        assert len(stage.model.prompts) == 3
        assert body.acted == []
        assert stage.lines("decision") == []


async def test_k34_a_decision_that_the_world_overtook_is_no_part_of_a_turn_that_then_failed(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    body = Corridor()
    looks = itertools.count(1)

    def drift() -> None:
        body.tile += next(looks) == 2  # at the first fence

    body.hooks["observe"] = drift
    model = ScriptedModel([answer(), failure(), answer()])
    async with staged(
        tmp_path, body=body, model=model, ceiling=BudgetCeiling(max_turns=2)
    ) as stage:
        await stage.run()
        failed = stage.body.turns[0]
        (past,) = stage.body.prompts[-1].past
    assert (failed.outcome, failed.decision, past.action) == ("mind_failed", None, None)


async def test_k8_without_fresh_proposals_a_changed_state_is_a_stale_decision(
    tmp_path: Path,
    autojump_clock: MockClock,
) -> None:
    body = Corridor(policy=replace(POLICY, fresh_after_change=0, changed="stale_decision"))
    body.hooks["observe"] = lambda: setattr(body, "tile", body.tile + 1)
    async with staged(tmp_path, body=body, ceiling=BudgetCeiling(max_turns=1)) as stage:
        await stage.run()
        assert stage.messages(wire.Turn)[0].card.outcome == "stale_decision"
        assert len(stage.model.prompts) == 1


@pytest.mark.parametrize(
    ("waits_in", "script", "expected"),
    [
        ("model", [answer()], "interrupted"),
        ("backoff", [failure(retry_after=50.0), answer()], "mind_failed"),
    ],
)
async def test_k9_a_stop_is_seen_in_any_wait_within_a_tenth_of_a_second(
    tmp_path: Path, autojump_clock: MockClock, waits_in: str, script: list[Any], expected: str
) -> None:
    model = ScriptedModel(script, seconds=1.0 if waits_in == "backoff" else 50.0)
    async with staged(tmp_path, model=model) as stage:

        async def stop() -> None:
            await trio.sleep(20)
            stage.controls.end(STOP)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(stop)
            await stage.run()
        assert trio.current_time() - model.at[0] <= 20.1
        assert len(model.prompts) == 1
        assert [card.card.outcome for card in stage.messages(wire.Turn)] == [expected]


@pytest.mark.parametrize(("paused_at", "turns"), [("start", 0), ("act", 1)])
async def test_k9_no_turn_starts_in_a_pause_and_a_stop_ends_it(
    tmp_path: Path, autojump_clock: MockClock, paused_at: str, turns: int
) -> None:
    body = Corridor(pacing=60.0)
    async with staged(tmp_path, body=body) as stage:
        if paused_at == "start":  # as a session that is started again in a pause
            stage.controls.pause()
        else:
            body.hooks["act"] = stage.controls.pause

        async def stop() -> None:
            await trio.sleep(100)
            stage.controls.end(STOP)

        began = trio.current_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(stop)
            await stage.run()
        assert trio.current_time() - began <= 100.1
        assert stage.play.tally.turns == len(stage.model.prompts) == turns


async def test_no_rest_follows_the_last_turn(tmp_path: Path, autojump_clock: MockClock) -> None:
    body, began = Corridor(pacing=60.0), trio.current_time()
    async with staged(tmp_path, body=body, ceiling=BudgetCeiling(max_turns=2)) as stage:
        assert (await stage.run()).outcome == "finished"
    assert stage.play.tally.turns == 2
    assert 60 <= trio.current_time() - began < 120


async def test_a_stop_lets_an_action_settle_and_admits_nothing_after_it(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    body = Corridor(act_seconds=8.0)
    voice = ScriptedModel([answer(say="hm")])
    async with staged(tmp_path, body=body, voice=voice) as stage:
        body.hooks["act"] = lambda: stage.controls.end(STOP)
        ending = await stage.run()
        (turn,) = stage.lines("turn")
        assert ending.outcome == "stopped"
        assert turn["turn"]["outcome"] == "accepted"
        assert [line["outcome"] for line in stage.lines("action")] == ["accepted"]
        assert len(stage.model.prompts) == 1
        assert voice.prompts == []


async def test_an_action_that_outlasts_the_stops_patience_is_recorded_as_unsettled(
    tmp_path: Path,
    autojump_clock: MockClock,
) -> None:
    body = Corridor(act_seconds=70.0)
    async with staged(tmp_path, body=body) as stage:
        body.hooks["act"] = lambda: stage.controls.end(STOP)
        began = trio.current_time()
        await stage.run()
        (turn,) = stage.lines("turn")
        assert turn["turn"]["outcome"] == "interrupted"
        assert stage.lines("action") == []
        assert len(stage.lines("decision")) == 1
        assert trio.current_time() - began <= 1.0 + STOP.patience + 0.1


@pytest.mark.parametrize(("limit", "outcome"), [(5, "invalid_decision"), (3, "mind_failed")])
async def test_k11_failures_in_a_row_are_backed_off_and_end_the_session(
    tmp_path: Path, autojump_clock: MockClock, limit: int, outcome: str
) -> None:
    """Case 7."""
    body = Corridor(policy=replace(POLICY, failures_to_end=limit, invalid=outcome))
    model = ScriptedModel([answer(step="x")])
    ceiling = BudgetCeiling(tokens=None)
    async with staged(tmp_path, body=body, model=model, ceiling=ceiling) as stage:
        ending = await stage.run()
    assert ending.outcome == "mind_unavailable"
    assert "toy (toy-1)" in ending.detail
    assert len(model.prompts) == limit
    waits = [round(b - a - model.seconds) for a, b in zip(model.at, model.at[1:], strict=False)]
    assert waits == [1, 2, 4, 8][: limit - 1]


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        (FailureKind.REFUSED, "invalid_decision"),
        (FailureKind.EMPTY, "invalid_decision"),
        (FailureKind.TRUNCATED, "invalid_decision"),
        (FailureKind.AMBIGUOUS, "invalid_decision"),
        (FailureKind.NOT_JSON, "invalid_decision"),
        (FailureKind.CONNECTION, "mind_failed"),
        (FailureKind.DEADLINE, "mind_failed"),
    ],
)
async def test_an_answer_that_is_no_decision_is_told_apart_from_a_call_that_failed(
    tmp_path: Path, autojump_clock: MockClock, kind: FailureKind, outcome: str
) -> None:
    ceiling = BudgetCeiling(max_turns=1)
    async with staged(tmp_path, model=ScriptedModel([failure(kind)]), ceiling=ceiling) as stage:
        await stage.run()
        (line,) = stage.lines("turn")
        (transport,) = stage.lines("transport")
    assert line["turn"]["outcome"] == outcome
    assert transport["failure"] == kind.value


async def test_k11_a_valid_decision_resets_the_count(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    script = [*[failure()] * 4, answer(), *[failure()] * 4, answer()]
    ceiling = BudgetCeiling(tokens=None, max_turns=10)
    async with staged(tmp_path, model=ScriptedModel(script), ceiling=ceiling) as stage:
        assert (await stage.run()).outcome == "finished"


@pytest.mark.parametrize(
    "kind", [FailureKind.UNAUTHORIZED, FailureKind.NOT_FOUND, FailureKind.QUOTA]
)
async def test_cases_4_9_and_21_a_failure_that_cannot_pass_ends_the_session_at_once(
    tmp_path: Path, autojump_clock: MockClock, kind: FailureKind
) -> None:
    model = ScriptedModel([failure(kind, status=401)])
    async with staged(tmp_path, model=model) as stage:
        ending = await stage.run()
        assert stage.body.acted == []
    assert ending.outcome == "mind_unavailable"
    assert "401" in ending.detail
    assert "toy-1" in ending.detail
    assert len(model.prompts) == 1


@pytest.mark.parametrize(("retry_after", "wait"), [(None, 1), (0.2, 1), (30.0, 30), (3600.0, 60)])
async def test_case_20_retry_after_lengthens_the_wait_up_to_a_minute_and_never_shortens_it(
    tmp_path: Path, autojump_clock: MockClock, retry_after: float | None, wait: int
) -> None:
    model = ScriptedModel([failure(FailureKind.RATE_LIMITED, retry_after=retry_after), answer()])
    async with staged(tmp_path, model=model, ceiling=BudgetCeiling(max_turns=2)) as stage:
        await stage.run()
        waiting = [m.waiting for m in stage.messages(wire.Phase) if m.waiting]
    assert round(model.at[1] - model.at[0] - model.seconds) == wait
    assert waiting == [wait]


async def test_case_21_requests_and_attempts_in_the_journal_are_equal(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    model = ScriptedModel([failure(FailureKind.RATE_LIMITED)])
    async with staged(tmp_path, model=model, ceiling=BudgetCeiling(tokens=None)) as stage:
        await stage.run()
        assert len(stage.lines("transport")) == len(model.prompts) == 5
        stages = [line["stage"] for line in stage.lines("usage")]
        assert stages == ["reserved", "settled"] * 5


async def test_case_22_a_context_that_is_too_long_is_asked_once_more_with_a_short_history(
    tmp_path: Path,
    autojump_clock: MockClock,
) -> None:
    model = ScriptedModel([failure(FailureKind.CONTEXT_TOO_LONG), answer()])
    async with staged(tmp_path, model=model, ceiling=BudgetCeiling(max_turns=2)) as stage:
        await stage.run()
        assert [context.short for context in stage.body.prompts] == [False, True, True]
        assert [turn.card.outcome for turn in stage.messages(wire.Turn)] == ["accepted"] * 2


async def test_case_22_a_context_that_stays_too_long_is_a_failure_with_that_name(
    tmp_path: Path,
    autojump_clock: MockClock,
) -> None:
    model = ScriptedModel([failure(FailureKind.CONTEXT_TOO_LONG)])
    ceiling = BudgetCeiling(tokens=None, max_turns=1)
    async with staged(tmp_path, model=model, ceiling=ceiling) as stage:
        await stage.run()
        assert len(model.prompts) == 2
        assert "context_too_long" in stage.body.turns[0].failure


async def test_k7_a_call_without_usage_ends_a_session_whose_game_says_so_without_acting(
    tmp_path: Path,
    autojump_clock: MockClock,
) -> None:
    body = Corridor(policy=replace(POLICY, message_replaces="settle", unknown_usage_ends=True))
    model = ScriptedModel([answer(None)])
    async with staged(tmp_path, body=body, model=model) as stage:
        ending = await stage.run()
    assert ending.outcome == "mind_unavailable"
    assert body.acted == []
    assert len(model.prompts) == 1


async def test_k7_k28_a_request_that_never_left_costs_nothing_and_is_a_failure_like_any_other(
    tmp_path: Path,
    autojump_clock: MockClock,
) -> None:
    policy = replace(POLICY, message_replaces="settle", unknown_usage_ends=True, failures_to_end=3)
    body = Corridor(policy=policy)
    model = ScriptedModel([failure(FailureKind.CONNECTION, usage=NOTHING_USED)])
    async with staged(tmp_path, body=body, model=model) as stage:
        ending = await stage.run()
        assert (stage.budget.tokens, stage.budget.unreported_calls) == (0, 0)
    assert ending.outcome == "mind_unavailable"
    assert "3 failures in a row" in ending.detail
    assert len(model.prompts) == 3


async def test_k7_where_a_proposal_settles_a_message_bills_it_and_asks_afresh(
    tmp_path: Path,
    autojump_clock: MockClock,
) -> None:
    body = Corridor(policy=replace(POLICY, message_replaces="settle", unknown_usage_ends=True))
    async with staged(tmp_path, body=body, ceiling=BudgetCeiling(max_turns=1)) as stage:

        async def talk() -> None:
            await trio.sleep(0.5)
            stage.controls.say("Ann", "stop there", "2026-01-01T00:00:00.000Z")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(talk)
            await stage.run()
        assert stage.model.withdrawn == 0
        assert len(stage.model.prompts) == 2
        assert stage.budget.tokens == 220
        assert stage.budget.unreported_calls == 0
        assert len(body.acted) == 1


async def test_k7_where_a_message_cancels_the_reserve_is_charged(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Case 16."""
    async with staged(tmp_path, ceiling=BudgetCeiling(max_turns=1)) as stage:

        async def talk() -> None:
            await trio.sleep(0.5)
            stage.controls.say("Ann", "stop there", "2026-01-01T00:00:00.000Z")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(talk)
            await stage.run()
        assert stage.budget.tokens == 16_000 + 110
        assert stage.budget.unreported_calls == 1


async def test_k10a_the_prompt_tells_of_the_last_eight_turns(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    ceiling = BudgetCeiling(tokens=None, max_turns=12)
    async with staged(tmp_path, ceiling=ceiling) as stage:
        await stage.run()
        assert [past.number for past in stage.body.prompts[-1].past] == list(range(3, 11))
        last = stage.body.prompts[-1].past[-1]
        assert (last.intent, last.action, last.outcome) == ("go on", "step 1", "accepted")
        assert last.effect == "from 10 to 11"


async def test_k14_failed_actions_back_off_and_end_nothing(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    class Slippery(Corridor):
        async def act(self, decision: Any, key: str, stopping: trio.Event) -> Any:
            settled = await super().act(decision, key, stopping)
            return replace(settled, outcome="action_failed", failed=True)

    body = Slippery(policy=replace(POLICY, back_off_failed_actions=True))
    ceiling = BudgetCeiling(tokens=None, max_turns=8)
    async with staged(tmp_path, body=body, ceiling=ceiling) as stage:
        assert (await stage.run()).outcome == "finished"
        at = stage.model.at
    waits = [round(b - a - 1.0) for a, b in itertools.pairwise(at)]
    assert waits == [1, 2, 4, 8, 16, 30, 30]


async def test_k23_a_message_ends_pacing_early(tmp_path: Path, autojump_clock: MockClock) -> None:
    body = Corridor(pacing=60.0)
    async with staged(tmp_path, body=body, ceiling=BudgetCeiling(max_turns=2)) as stage:

        async def talk() -> None:
            await trio.sleep(11)
            stage.controls.say("Ann", "wake up", "2026-01-01T00:00:00.000Z")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(talk)
            await stage.run()
        assert stage.model.at[1] - stage.model.at[0] == pytest.approx(11, abs=0.1)


async def test_k28_the_check_before_an_action_holds_back_what_the_budget_forbids(
    tmp_path: Path,
    autojump_clock: MockClock,
) -> None:
    model = ScriptedModel([answer(Usage(input=900, output=200))])
    async with staged(tmp_path, model=model, ceiling=BudgetCeiling(tokens=1000)) as stage:
        ending = await stage.run()
        (turn,) = stage.messages(wire.Turn)
        assert turn.card.outcome == "budget_exhausted"
        assert turn.budget.tokens == 1100
        assert stage.body.acted == []
    assert ending.outcome == "budget_exhausted"


async def test_k30_a_request_never_asks_for_more_output_than_the_ceiling_has_left(
    tmp_path: Path,
    autojump_clock: MockClock,
) -> None:
    ceiling = BudgetCeiling(tokens=400, max_turns=4)
    async with staged(tmp_path, ceiling=ceiling) as stage:
        await stage.run()
        assert stage.model.limits == [400, 290, 180, 70]


async def test_k31_a_new_ceiling_holds_from_the_next_call(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with staged(tmp_path, ceiling=BudgetCeiling(tokens=None)) as stage:
        stage.body.hooks["act"] = lambda: setattr(stage.budget, "ceiling", BudgetCeiling(tokens=50))
        ending = await stage.run()
        assert ending.outcome == "budget_exhausted"
        assert len(stage.model.prompts) == 1
        assert stage.messages(wire.Turn)[0].card.outcome == "accepted"


async def test_k30_a_ceiling_lowered_while_the_fence_looks_holds_back_the_action(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with staged(tmp_path, ceiling=BudgetCeiling(tokens=None)) as stage:

        def look() -> None:
            if stage.model.prompts:
                stage.budget.ceiling = BudgetCeiling(tokens=0)

        stage.body.hooks["observe"] = look
        ending = await stage.run()
        assert stage.messages(wire.Turn)[0].card.outcome == "budget_exhausted"
        assert stage.body.acted == []
        assert stage.lines("decision") == []
    assert ending.outcome == "budget_exhausted"


async def test_the_worlds_end_in_mid_turn_interrupts_the_turn(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    body = Corridor()
    async with staged(tmp_path, body=body, model=ScriptedModel(seconds=50)) as stage:

        async def collapse() -> None:
            await trio.sleep(3)
            body.over.set()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(collapse)
            ending = await stage.run()
        assert (ending.outcome, ending.confirmed) == ("world_ended", True)
        assert [t["turn"]["outcome"] for t in stage.lines("turn")] == ["interrupted"]


async def test_a_world_that_ends_while_acting_ends_the_session(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    def end() -> None:
        raise WorldEnded("taken over", confirmed=False)

    async with staged(tmp_path, body=Corridor(hooks={"act": end})) as stage:
        ending = await stage.run()
        assert (ending.outcome, ending.confirmed, ending.leaves) == ("world_ended", False, True)
        assert stage.lines("turn")[0]["turn"]["outcome"] == "interrupted"


async def test_an_observation_that_fails_is_tried_again_and_not_for_ever(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    tries = 0

    def fail() -> None:
        nonlocal tries
        tries += 1
        raise BodyTrouble("rate limited")

    async with staged(tmp_path, body=Corridor(hooks={"observe": fail})) as stage:
        ending = await stage.run()
    assert ending.outcome == "world_ended"
    assert "rate limited" in ending.detail
    assert tries == 5


async def test_a_lapsed_lease_sends_nothing_more_and_says_no_farewell(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with staged(tmp_path, lease_seconds=4.0) as stage:
        ending = await stage.run()
        assert (ending.outcome, ending.leaves) == ("lease_lapsed", False)
        assert stage.model.prompts == []


async def test_k34_a_stage_that_did_not_happen_is_null(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with staged(tmp_path, model=ScriptedModel([failure()])) as stage:
        await stage.run()
        facts = stage.body.turns[0]
        assert facts.shown is not None
        nothing = (facts.before, facts.after, facts.decision, facts.settled, facts.effect)
        assert nothing == (None,) * 5


async def test_the_two_lines_that_bracket_an_action_stand_around_it(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    seen: list[list[str]] = []
    async with staged(tmp_path, ceiling=BudgetCeiling(max_turns=1)) as stage:
        stage.body.hooks["act"] = lambda: seen.append([line["kind"] for line in stage.lines()])
        await stage.run()
        kinds = [line["kind"] for line in stage.lines()]
        decision, action = stage.lines("decision")[0], stage.lines("action")[0]
    assert seen == [["header", "usage", "usage", "decision"]]
    assert kinds == ["header", "usage", "usage", "decision", "action", "turn"]
    assert decision["idempotencyKey"] == action["idempotencyKey"]
    assert msgspec.json.encode(decision["decision"]["action"]) == b'{"kind":"step","by":1}'


async def test_k13_lines_that_a_journal_cannot_take_are_logged_once_and_cost_no_turn(
    tmp_path: Path, autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    async with staged(tmp_path, ceiling=BudgetCeiling(max_turns=3)) as stage:
        stage.play.trail.write(NotableLine(notable="stuck", detail="x" * LINE_LIMIT))
        stage.play.trail.write(NotableLine(notable="stuck", detail="x" * LINE_LIMIT))
        assert (await stage.run()).outcome == "finished"
        assert stage.play.trail.writer.written.lost == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("journal: line_too_long: ")


async def test_case_31_the_players_own_words_never_come_back_to_it(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    model = ScriptedModel([answer(speak="Good morning!"), answer()])
    async with staged(tmp_path, model=model, ceiling=BudgetCeiling(max_turns=2)) as stage:
        stage.body.hooks["act"] = lambda: stage.controls.say("room", "Good morning!", "t")
        stage.controls.spoke("Good morning!")
        await stage.run()
        assert all(context.heard == () for context in stage.body.prompts)
        assert stage.controls.echoes == 2
