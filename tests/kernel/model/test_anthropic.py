"""What is particular to Messages."""

from typing import Any

import pytest

from kernel.model.errors import FailureKind
from kernel.model.request import Prompt, Schema

DECISION = '{"action":"walk","steps":3}'
PROMPT = Prompt(
    system="You play.",
    parts=("A door.", "A wall."),
    image=b"\x89PNG\r\n\x1a\n-",
    schema=Schema("decision", b'{"type":"object"}'),
)


@pytest.fixture
def dialect(anthropic_dialect: Any) -> Any:
    return anthropic_dialect


async def asked(provider: Any, **endpoint: Any) -> dict[str, Any]:
    provider.plays(b"{}", status="400 Bad Request")
    await provider.ask(PROMPT, **endpoint)
    return provider.requests[-1][1]


async def test_the_request_marks_its_prefix_for_the_cache_and_forces_one_tool(
    provider: Any,
) -> None:
    body = await asked(provider, takes_images=True)
    assert (body["stream"], body["max_tokens"]) == (True, 500)
    assert body["system"] == [
        {"type": "text", "text": "You play.", "cache_control": {"type": "ephemeral"}}
    ]
    (user,) = body["messages"]
    assert [part["type"] for part in user["content"]] == ["image", "text", "text"]
    assert user["content"][0]["source"]["media_type"] == "image/png"
    (tool,) = body["tools"]
    assert (tool["name"], tool["input_schema"]) == ("decision", {"type": "object"})
    assert body["tool_choice"]["name"] == "decision"
    assert body["tool_choice"]["disable_parallel_tool_use"] is True
    head = provider.requests[-1][0].lower()
    assert head.startswith("post /v1/messages http/1.1")
    assert "x-api-key: sk-proj-" in head
    assert "anthropic-version: 2023-06-01" in head
    assert "authorization" not in head


async def test_without_a_schema_the_provider_knows_the_answer_is_text(provider: Any) -> None:
    d = provider.dialect
    provider.plays(
        d.event("message_start", message={"usage": {"input_tokens": 9}}),
        d.delta(type="text_delta", text=DECISION),
        d.ending("end_turn"),
    )
    outcome = await provider.ask(PROMPT, structured="prompt")
    assert outcome.object == DECISION.encode()
    body = provider.requests[-1][1]
    assert "tools" not in body
    assert '{"type":"object"}' in body["system"][0]["text"]


async def test_plain_words_are_an_answer_where_no_object_is_wanted(provider: Any) -> None:
    d = provider.dialect
    provider.plays(
        d.event("message_start", message={"usage": {"input_tokens": 9}}),
        d.delta(type="text_delta", text="Off we "),
        d.delta(type="text_delta", text="go!"),
        d.ending("end_turn"),
    )
    outcome = await provider.ask(Prompt(system="You speak.", parts=("Hi.",)))
    assert (outcome.text, outcome.object) == ("Off we go!", None)


async def test_words_beside_the_tool_are_never_read_as_the_answer(provider: Any) -> None:
    d = provider.dialect
    said = d.delta(type="text_delta", text='{"action":"jump"}')
    outcome = await provider.completion(d.opening(), said, d.piece(DECISION), d.ending())
    assert outcome.object == DECISION.encode()
    failed = await provider.failure(d.opening(), said, d.ending("end_turn"))
    assert failed.kind is FailureKind.EMPTY


async def test_two_tools_that_differ_are_ambiguous(provider: Any) -> None:
    d = provider.dialect
    second = d.event("content_block_start", index=1, content_block={"type": "tool_use"})
    failed = await provider.failure(
        d.opening(), d.piece(DECISION), second, d.piece('{"action":"wait"}'), d.ending()
    )
    assert failed.kind is FailureKind.AMBIGUOUS


async def test_case_14_the_stop_reason_alone_is_no_end_marker(provider: Any) -> None:
    d = provider.dialect
    ending = d.ending().removesuffix(d.event("message_stop"))
    failed = await provider.failure(d.opening(), d.piece(DECISION), ending)
    assert failed.kind is FailureKind.CONNECTION
    assert not failed.usage.complete


async def test_case_18_cache_tokens_stand_beside_the_input_and_count_once(provider: Any) -> None:
    d = provider.dialect
    outcome = await provider.completion(
        d.opening(input_tokens=10, cache_read_input_tokens=300, cache_creation_input_tokens=40),
        d.piece(DECISION),
        d.unreported_ending(usage={"output_tokens": 20, "cache_read_input_tokens": 300}),
    )
    usage = outcome.usage
    assert (usage.input, usage.cache_read, usage.cache_write) == (350, 300, 40)
    assert (usage.output, usage.complete) == (20, True)


async def test_what_was_reported_before_a_cut_is_told_and_not_complete(provider: Any) -> None:
    d = provider.dialect
    failed = await provider.failure(d.opening(), d.piece("{"), then="cut")
    assert (failed.usage.input, failed.usage.output, failed.usage.complete) == (100, 1, False)


async def test_kinds_of_events_that_are_not_known_yet_are_passed_over(provider: Any) -> None:
    d = provider.dialect
    outcome = await provider.completion(
        d.event("ping"),
        d.opening(),
        d.event("weather", delta={"sky": "blue"}),
        d.delta(type="signature_delta", signature="x"),
        d.piece(DECISION),
        d.ending(),
    )
    assert outcome.object == DECISION.encode()


async def test_case_11_pings_are_no_progress(provider: Any) -> None:
    d = provider.dialect
    provider.plays(d.opening(), d.piece("{"), *[d.event("ping")] * 3, then="trickles")
    assert (await provider.ask(stall=0.1)).kind is FailureKind.STALL


@pytest.mark.parametrize("base", ["", "/", "/v1", "/v1/"])
async def test_the_address_may_name_the_version_or_not(provider: Any, base: str) -> None:
    root = provider.endpoint().base_url.removesuffix("/v1")
    provider.plays(b"{}", status="400 Bad Request")
    await provider.ask(base_url=root + base)
    assert provider.requests[-1][0].startswith("POST /v1/messages ")
