import hashlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from scripted_model import ScriptedModel, failure
from stage import staged
from trio.testing import MockClock

from bodies.pokemon import wire
from bodies.pokemon.adapter import POLICY, PokemonBody
from bodies.pokemon.seat.troubles import OperationRefused, StaleAnswer
from kernel.body import (
    Body,
    CallUsage,
    Context,
    Decision,
    Invalid,
    Memory,
    Said,
    Settled,
    Speech,
    Timing,
    TurnFacts,
    WorldEnded,
)
from kernel.journal.lines import TurnLine
from kernel.model.errors import FailureKind
from kernel.model.request import PNG_PREFIX
from kernel.session.specification import BudgetCeiling

WALK = b'{"monologue":"m","intent":"go east","action":"walk_to","x":4,"y":2}'
READ_ON = b'{"monologue":"m","intent":"read","notes":"n","objective":"o","action":"advance_dialog"}'


@pytest.fixture
async def body(given_world: Any) -> PokemonBody:
    """A body that has joined."""
    body = PokemonBody(given_world)
    await body.join()
    return body


async def decision_of(body: PokemonBody, answer: bytes = WALK) -> Decision[wire.Action]:
    decision = body.decode(answer, await body.observe())
    assert not isinstance(decision, Invalid)
    return decision


async def acted(body: PokemonBody, answer: bytes = WALK) -> Settled[Any]:
    return await body.act(await decision_of(body, answer), "key-1", trio.Event())


def facts(**given: Any) -> TurnFacts[Any, Any, Any]:
    stages: dict[str, Any] = dict.fromkeys(
        ("shown", "before", "after", "decision", "settled", "effect", "failure")
    )
    rest: dict[str, Any] = {
        "number": 3,
        "outcome": "accepted",
        "heard": (),
        "speech": Speech(),
        "calls": (),
        "preemptions": 0,
        "timing": Timing(),
        "window": 2,
    }
    return TurnFacts(**(stages | rest | given))


def line_of(body: PokemonBody, turn: TurnFacts[Any, Any, Any]) -> dict[str, Any]:
    line = body.remember(turn).line
    assert isinstance(line, TurnLine)
    return json.loads(msgspec.json.encode(line))


async def test_it_is_a_body_of_the_kernel(body: PokemonBody):
    kernels: Body[Any, Any, Any] = body

    assert kernels.policy is POLICY
    assert kernels.ready() is None
    assert kernels.pace() == 0


async def test_the_worlds_answer_names_the_journey(given_world: Any):
    joined = await PokemonBody(given_world).join()

    assert joined.journey_id == "world:kanto%2F1:player:player%201"
    assert joined.environment_id == "pokemon-firered"
    assert joined.environment_session_id == "ses_1"
    assert joined.venue == "world"


async def test_a_sight_has_the_picture_of_its_own_body_alone(
    body: PokemonBody, given_world: Any, screen: Any, png: Any
):
    given_world.picture = png("a")
    assert (await body.observe()).frame == png("a")

    given_world.frame = _of_another_body(png("a"))
    assert (await body.observe()).frame is None


def _of_another_body(data: bytes) -> Any:
    async def frame() -> wire.Frame:
        await trio.lowlevel.checkpoint()
        return wire.Frame("ses_1", 99, 1, data, "")

    return frame


async def test_an_action_is_sent_once_under_its_key_and_shows_the_screen_after_it(
    body: PokemonBody, given_world: Any, screen: Any, ran: Any
):
    detail = wire.WalkToDetail(wire.MapPoint("harbor-town", 4, 2), 1, 1, True, None, False)
    given_world.answers = [ran(screen(at=(4, 2)), detail=detail)]
    before = await body.observe()
    settled = await acted(body)

    assert given_world.sent == [(wire.WalkTo(4, 2), "key-1")]
    assert (settled.outcome, settled.failed) == ("accepted", False)
    assert settled.after is not None
    assert settled.after.scene == "harbor-town (4,2) facing south"
    assert body.verify(before, settled, settled.after).text == "walked 1 steps to (4,2)"
    result = msgspec.json.decode(settled.result)
    assert result["source"] == "environment"
    assert result["result"]["status"] == "completed"
    assert result["result"]["outcome"]["kind"] == "walk_to"
    assert result["result"]["outcome"]["arrived"] is True


@pytest.mark.parametrize(
    ("trouble", "code"),
    [
        (OperationRefused("play.act", "rate_limited", "slow down", 500), "rate_limited"),
        (StaleAnswer("an older body answered"), "no_answer"),
    ],
)
async def test_an_operation_that_failed_is_a_rejected_action(
    body: PokemonBody, given_world: Any, trouble: Exception, code: str
):
    given_world.answers = [trouble]
    settled = await acted(body)
    result = msgspec.json.decode(settled.result)

    assert (settled.outcome, settled.failed) == ("rejected_by_adapter", True)
    assert (result["source"], result["result"]["errorCode"]) == ("seat", code)
    assert body.verify(await body.observe(), settled, None).what == "unseen"


async def test_the_worlds_end_passes_through(body: PokemonBody, given_world: Any):
    given_world.answers = [WorldEnded("taken_over", confirmed=False)]

    with pytest.raises(WorldEnded, match="taken_over"):
        await acted(body)


async def test_an_action_that_settled_is_not_lost_to_the_worlds_end_after_it(
    body: PokemonBody, given_world: Any, screen: Any, ran: Any
):
    given_world.answers = [ran(screen(at=(4, 2)))]
    decision = await decision_of(body)
    given_world.gone = WorldEnded("session_ended", confirmed=True)
    settled = await body.act(decision, "key-1", trio.Event())

    assert settled.outcome == "accepted"
    assert settled.after is not None
    assert settled.after.frame is None


async def test_a_stop_lets_an_action_settle_and_asks_for_no_picture(
    body: PokemonBody, given_world: Any, screen: Any, ran: Any
):
    given_world.picture = PNG_PREFIX + b"after"
    given_world.answers = [ran(screen(at=(4, 2)))]
    stopping = trio.Event()
    stopping.set()
    decision = await decision_of(body)
    settled = await body.act(decision, "key-1", stopping)

    assert settled.outcome == "accepted"
    assert settled.after is not None
    assert settled.after.frame is None


async def test_what_is_known_to_be_refused_is_answered_from_memory(
    body: PokemonBody, given_world: Any
):
    """K21, case 26."""
    refusal = wire.Rejected(wire.ActionRefusal("semantic_state_unavailable"))
    given_world.answers = [refusal]
    sight = await body.observe()
    decision = await decision_of(body, READ_ON)
    assert body.known(decision, sight) is None

    settled = await body.act(decision, "key-1", trio.Event())
    effect = body.verify(sight, settled, sight)
    body.remember(
        facts(shown=sight, before=sight, decision=decision, settled=settled, effect=effect)
    )
    known = body.known(decision, sight)

    assert known is not None
    assert known.outcome == "rejected_by_adapter"
    assert msgspec.json.decode(known.result)["source"] == "memory"
    assert len(given_world.sent) == 1


async def test_a_turn_line_carries_the_whole_turn(
    body: PokemonBody, given_world: Any, screen: Any, ran: Any, png: Any
):
    given_world.answers = [ran(screen(at=(4, 2)))]
    given_world.picture = png("a")
    shown = await body.observe()
    body.prompt(shown, Context(3, "", (), (), None, 6, takes_images=False))
    before = await body.observe()
    decision = await decision_of(body, READ_ON)
    settled = await body.act(decision, "key-1", trio.Event())
    effect = body.verify(before, settled, settled.after)
    calls = (
        CallUsage("mind", 100, 20, 50, 0, 120, True, 0.5),
        CallUsage("mind", 0, 0, 0, 0, 16_000, False, None),
    )
    line = line_of(
        body,
        facts(
            shown=shown,
            before=before,
            after=settled.after,
            decision=decision,
            settled=settled,
            effect=effect,
            heard=(Said("Ines", "go left"), Said("Bo", "no, right")),
            speech=Speech(reply="aye", delivery_id="d-1", narration_event="Ines spoke"),
            calls=calls,
            preemptions=2,
            timing=Timing("2026-01-05T10:00:00.000Z", "2026-01-05T10:00:01.000Z"),
        ),
    )
    turn, evidence = line["turn"], line["evidence"]

    assert line["kind"] == "turn"
    assert (line["speechDeliveryId"], line["narrationEvent"]) == ("d-1", "Ines spoke")
    canonical = json.dumps(
        evidence["decision"]["observations"],
        separators=(",", ":"),
        sort_keys=True,
        ensure_ascii=False,
    )
    assert turn["observationSha256"] == hashlib.sha256(canonical.encode()).hexdigest()
    assert turn["framebufferSha256"] == shown.frame_sha256
    assert turn["interjection"] == "Ines: go left\nBo: no, right"
    assert (turn["notes"], turn["objective"], turn["reply"]) == ("n", "o", "aye")
    assert turn["action"] == {"kind": "advance_dialog"}
    assert turn["effect"] == "moved to (4,2)"
    assert turn["usage"]["charged"] == 16_120
    assert turn["usage"]["unreported"] == 1
    assert turn["usage"].get("cost") is None
    assert json.loads(turn["detail"])["framesSpent"] == 16
    for stage in ("decision", "immediatePreAction", "postAction"):
        assert evidence[stage]["provenance"]["worldId"] == "kanto/1"
    assert evidence["signals"]["turnsSinceSpoken"] == 6
    assert evidence["signals"]["decisionPreemptions"] == 2
    assert evidence["progressBefore"]["distinctTiles"] == 0
    assert evidence["progressAfter"]["distinctTiles"] == 2
    assert evidence["timing"]["actionStartedAt"] is None
    assert evidence["window"] == 2


async def test_a_turn_without_a_decision_keeps_notes_and_objective_and_makes_nothing_up(
    body: PokemonBody,
):
    """K17, K34."""
    body.recall(Memory("the key is in the well", "the ferry"))
    remembered = body.remember(facts(outcome="mind_failed", failure="gpt: 503"))
    line = json.loads(msgspec.json.encode(remembered.line))

    assert line["turn"]["notes"] == remembered.notes == "the key is in the well"
    assert line["turn"]["objective"] == remembered.objective == "the ferry"
    assert line["turn"]["detail"] == "gpt: 503"
    absent = ("monologue", "intent", "action", "effect", "observationSha256", "usage")
    assert [line["turn"][field] for field in absent] == [None] * len(absent)
    stages = ("decision", "immediatePreAction", "postAction", "actionResult", "signals")
    assert [line["evidence"][stage] for stage in stages] == [None] * len(stages)


async def test_pictures_are_kept_of_turns_that_matter(body: PokemonBody, sighted: Any):
    def reasons(number: int, outcome: str = "accepted", **shown: Any) -> tuple[str, ...]:
        turn = facts(number=number, outcome=outcome, shown=sighted(**shown))
        return body.remember(turn).screenshot

    assert reasons(0) == ("first_turn",)
    assert reasons(1) == ()
    assert reasons(25) == ("interval",)
    assert reasons(26, mode="battle") == ("scene",)
    assert reasons(27) == ("scene",)
    assert reasons(28, map_id="ferry") == ("map",)
    assert reasons(29, "mind_failed", map_id="ferry") == ("not_accepted",)


async def test_the_summary_has_the_runs_totals(body: PokemonBody, given_world: Any, ran: Any):
    given_world.answers = [ran(given_world.shows)]
    sight = await body.observe()
    decision = await decision_of(body)
    settled = await body.act(decision, "key-1", trio.Event())
    effect = body.verify(sight, settled, settled.after)
    body.remember(facts(shown=sight, decision=decision, settled=settled, effect=effect))
    totals = body.totals()

    assert msgspec.json.decode(totals.progress)["distinctTiles"] == 1
    assert totals.longest_unchanged_run == 1
    assert totals.coherence is None
    assert totals.objectives_retired == 0


async def test_the_farewell_the_end_and_the_counters_are_the_seats(
    body: PokemonBody, given_world: Any
):
    given_world.counters.frames_lost = 4

    assert (await body.ended()).cause == "session_ended"
    assert (await body.leave()).leave == "confirmed"
    assert body.stats()["frames_dropped"] == 4


async def test_what_a_model_refused_is_not_asked_again_unchanged(
    body: PokemonBody, given_world: Any, tmp_path: Path, autojump_clock: MockClock
):
    """Case 5: the world stands still, and yet no prompt is like the one before it."""
    given_world.wait_ended = trio.sleep_forever
    model = ScriptedModel([failure(FailureKind.REFUSED)])
    ceiling = BudgetCeiling(tokens=None)
    async with staged(tmp_path, body=body, model=model, ceiling=ceiling) as stage:  # type: ignore[arg-type]
        assert (await stage.run()).outcome == "mind_unavailable"
    assert len(model.prompts) == 5
    assert len({prompt.parts for prompt in model.prompts}) == 5
