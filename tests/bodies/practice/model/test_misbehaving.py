"""What each misdeed does to a session's client, and what the ledger says of it."""

import pytest
import trio

from kernel.model.errors import FailureKind
from kernel.model.transport import Completion

# Where "whole" stands the client has heard enough before the end and may have hung up by then.
FAILURES = [
    ("status:401", FailureKind.UNAUTHORIZED, "rejected"),
    ("status:404", FailureKind.NOT_FOUND, "rejected"),
    ("status:429/7", FailureKind.RATE_LIMITED, "rejected"),
    ("status:500", FailureKind.SERVER, "rejected"),
    ("status:503", FailureKind.OVERLOADED, "rejected"),
    ("cut:head", FailureKind.CONNECTION, "cut"),
    ("cut:midway", FailureKind.CONNECTION, "cut"),
    ("cut:before-end", FailureKind.CONNECTION, "cut"),
    ("error:overloaded_error", FailureKind.OVERLOADED, "failed"),
    ("error:insufficient_quota", FailureKind.QUOTA, "failed"),
    ("garbage", FailureKind.PROTOCOL, "whole"),
    ("refuse", FailureKind.REFUSED, "whole"),
    ("filter", FailureKind.REFUSED, "whole"),
    ("length", FailureKind.TRUNCATED, "whole"),
    ("empty", FailureKind.EMPTY, "whole"),
    ("prose", FailureKind.NOT_JSON, "whole"),
    ("stall:100", FailureKind.DEADLINE, "gone"),
    ("late:100", FailureKind.DEADLINE, "gone"),
    ("stall-midway:100", FailureKind.STALL, "gone"),
]

PATIENCE = {FailureKind.DEADLINE: {"deadline": 1.0}, FailureKind.STALL: {"stall": 0.3}}


@pytest.mark.parametrize(("misdeed", "kind", "outcome"), FAILURES)
async def test_a_misdeed_costs_one_call_and_is_entered(open_model, prompt, misdeed, kind, outcome):
    model = await open_model(misdeed)
    with trio.fail_after(60):
        failed = await model.ask(prompt, **PATIENCE.get(kind, {}))
        answered = await model.ask(prompt)
    assert failed.kind is kind
    assert isinstance(answered, Completion)
    first, second = await model.entries(2)
    assert first["misdeeds"] == [misdeed]
    assert first["outcome"] in (outcome, *(("gone",) if outcome == "whole" else ()))
    assert (second["outcome"], second["misdeeds"]) == ("whole", [])


async def test_a_rate_limit_tells_when_to_come_back(open_model, prompt):
    model = await open_model("status:429/7.5")
    assert (await model.ask(prompt)).retry_after == 7.5


COMPLETE = ["split", "trickle:0.001", "usage:early", "usage:growing", "usage:with-end"]


@pytest.mark.parametrize("misdeed", COMPLETE)
async def test_an_odd_way_to_answer_is_still_a_whole_answer_with_usage(open_model, prompt, misdeed):
    model = await open_model(misdeed)
    odd, plain = [await model.ask(prompt) for _ in range(2)]
    assert odd.object == plain.object
    assert odd.usage.complete
    assert (odd.usage.input, odd.usage.output) == (plain.usage.input, plain.usage.output)
    assert all(entry["usageReported"] for entry in await model.entries(2))


UNTOLD = ["usage:none", "usage:null", "usage:zero", "cut:after-end"]


@pytest.mark.parametrize("misdeed", UNTOLD)
async def test_usage_that_is_not_told_is_entered_as_not_told(open_model, prompt, misdeed):
    model = await open_model(misdeed)
    answer = await model.ask(prompt)
    assert isinstance(answer, Completion)
    assert answer.usage is None or not answer.usage.complete
    (entry,) = await model.entries(1)
    assert not entry["usageReported"]
    assert entry["completionTokens"] == -(-len(answer.text) // 4)


async def test_a_cut_after_the_usage_loses_nothing(open_model, prompt):
    model = await open_model("cut:after-usage")
    answer = await model.ask(prompt)
    assert isinstance(answer, Completion)
    assert answer.usage.complete
    assert (await model.entries(1))[0]["outcome"] == "cut"


async def test_an_invented_action_is_one_object_with_an_unknown_action(open_model, prompt):
    model = await open_model("invalid")
    assert b'"action":"practise_juggling"' in (await model.ask(prompt)).object
