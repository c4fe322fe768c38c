"""What is particular to Chat Completions."""

from typing import Any

import msgspec
import pytest

from kernel.model.errors import FailureKind
from kernel.model.openai import request_body
from kernel.model.request import Prompt, Schema

DECISION = '{"action":"walk","steps":3}'
PNG = b"\x89PNG\r\n\x1a\n-"
PROMPT = Prompt(
    system="You play.",
    parts=("A door.", "A wall."),
    image=PNG,
    schema=Schema("decision", b'{"type":"object"}'),
)


@pytest.fixture
def dialect(openai_dialect: Any) -> Any:
    return openai_dialect


async def asked(provider: Any, **endpoint: Any) -> dict[str, Any]:
    provider.plays(b"{}", status="400 Bad Request")
    await provider.ask(PROMPT, **endpoint)
    return provider.requests[-1][1]


async def test_the_request_streams_asks_for_usage_and_sends_the_prefix_first(
    provider: Any,
) -> None:
    body = await asked(provider, takes_images=True)
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}
    system, user = body["messages"]
    assert system == {"role": "system", "content": "You play."}
    assert [part["type"] for part in user["content"]] == ["image_url", "text", "text"]
    assert user["content"][0]["image_url"]["url"] == "data:image/png;base64,iVBORw0KGgot"
    assert body["response_format"]["json_schema"] == {
        "name": "decision",
        "strict": True,
        "schema": {"type": "object"},
    }
    head = provider.requests[-1][0]
    assert head.startswith("POST /v1/chat/completions HTTP/1.1")
    assert "bearer sk-proj-" in head.lower()


@pytest.mark.parametrize(
    ("structured", "response_format"), [("json_object", {"type": "json_object"}), ("prompt", None)]
)
async def test_a_lesser_server_is_asked_in_lesser_words(
    provider: Any, structured: str, response_format: Any
) -> None:
    body = await asked(provider, structured=structured)
    assert body.get("response_format") == response_format
    assert '{"type":"object"}' in body["messages"][0]["content"]


async def test_a_picture_is_left_out_for_a_model_that_takes_none(provider: Any) -> None:
    body = await asked(provider)
    assert [part["type"] for part in body["messages"][1]["content"]] == ["text", "text"]


@pytest.mark.parametrize(
    ("base_url", "limit", "cached"),
    [
        ("https://api.openai.com/v1", "max_completion_tokens", False),
        ("https://openrouter.ai/api/v1", "max_tokens", True),
        ("http://localhost:11434/v1", "max_tokens", False),
    ],
)
async def test_the_output_limit_and_the_cache_mark_are_worded_for_the_host(
    provider: Any, base_url: str, limit: str, cached: bool
) -> None:
    body = msgspec.json.decode(request_body(provider.endpoint(base_url=base_url), PROMPT, 77))
    assert {name: body[name] for name in body if name.startswith("max_")} == {limit: 77}
    assert ("prompt_cache_key" in body) is (limit == "max_completion_tokens")
    assert (b"cache_control" in msgspec.json.encode(body)) is cached


async def test_case_5_a_refusal_field_is_a_refusal(provider: Any) -> None:
    d = provider.dialect
    failed = await provider.failure(
        d.opening(), d.choice(delta={"refusal": "I cannot."}), d.ending()
    )
    assert failed.kind is FailureKind.REFUSED
    assert "cannot" not in repr(failed)


async def test_case_9_null_content_is_empty(provider: Any) -> None:
    d = provider.dialect
    failed = await provider.failure(d.choice(delta={"content": None}), d.ending())
    assert failed.kind is FailureKind.EMPTY


async def test_case_8_a_call_of_a_tool_nobody_offered_is_no_answer(provider: Any) -> None:
    d = provider.dialect
    call = {"index": 0, "function": {"name": "walk", "arguments": DECISION}}
    failed = await provider.failure(d.choice(delta={"tool_calls": [call]}), d.ending("tool_calls"))
    assert failed.kind is FailureKind.EMPTY


@pytest.mark.parametrize("where", ["with the finish", "without choices", "before the finish"])
async def test_case_17_usage_is_read_wherever_it_stands(provider: Any, where: str) -> None:
    d = provider.dialect
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    finish = {"index": 0, "delta": {}, "finish_reason": "stop"}
    tail = {
        "with the finish": d.chunk(choices=[finish], usage=usage),
        "without choices": d.chunk(choices=[finish]) + d.chunk(choices=[], usage=usage),
        "before the finish": d.chunk(choices=[], usage=usage)
        + d.chunk(choices=[finish], usage=None),
    }[where]
    outcome = await provider.completion(d.piece(DECISION), tail, b"data: [DONE]\n\n")
    assert (outcome.usage.tokens, outcome.usage.complete) == (120, True)


@pytest.mark.parametrize("marker", [b"", b"data: [DONE]", b"data: [DONE]\n"])
async def test_a_finish_reason_is_an_end_marker_by_itself(provider: Any, marker: bytes) -> None:
    d = provider.dialect
    end = d.choice(finish_reason="stop")
    for then in ("ends", "cut"):
        outcome = await provider.completion(d.piece(DECISION), end, marker, then=then)
        assert outcome.object == DECISION.encode()
        assert outcome.usage is None


async def test_silence_after_the_finish_reason_costs_the_usage_and_not_the_answer(
    provider: Any,
) -> None:
    d = provider.dialect
    provider.plays(d.piece(DECISION), d.choice(finish_reason="stop"), then="hangs")
    outcome = await provider.ask(stall=0.1)
    assert outcome.object == DECISION.encode()
    assert outcome.usage is None


async def test_done_without_a_finish_reason_is_an_end_marker(provider: Any) -> None:
    outcome = await provider.completion(provider.dialect.piece(DECISION), b"data: [DONE]\n\n")
    assert outcome.object == DECISION.encode()
    assert outcome.finish is None


async def test_another_choice_is_never_mixed_in(provider: Any) -> None:
    d = provider.dialect
    other = d.chunk(choices=[{"index": 1, "delta": {"content": "x"}, "finish_reason": "length"}])
    outcome = await provider.completion(d.piece(DECISION), other, d.ending())
    assert outcome.object == DECISION.encode()


@pytest.mark.parametrize(
    ("data", "kind", "status"),
    [
        (b'{"error":"model crashed"}', FailureKind.SERVER, None),
        (b'{"object":"error","message":"busy","code":503}', FailureKind.OVERLOADED, 503),
        (b'{"error":{"code":429,"message":"slow"},"choices":[]}', FailureKind.RATE_LIMITED, 429),
        (b'{"error":{"code":"insufficient_quota"}}', FailureKind.QUOTA, 429),
        (b'{"error":{"code":"content_filter"}}', FailureKind.REFUSED, None),
        (b'{"error":{}}', FailureKind.SERVER, None),
    ],
)
async def test_case_13_compatible_servers_write_their_errors_in_many_shapes(
    provider: Any, data: bytes, kind: FailureKind, status: int | None
) -> None:
    d = provider.dialect
    failed = await provider.failure(d.piece("{"), b"data: " + data + b"\n\n", d.ending())
    assert failed.kind is kind
    assert failed.status == (status or 200)


async def test_case_13_an_error_event_without_a_known_shape_is_an_error(provider: Any) -> None:
    d = provider.dialect
    failed = await provider.failure(d.piece(DECISION), b"event: error\ndata: {}\n\n", d.ending())
    assert failed.kind is FailureKind.SERVER


async def test_lines_may_end_in_any_of_the_three_ways(provider: Any) -> None:
    d = provider.dialect
    whole = d.piece(DECISION) + d.ending()
    for end in (b"\r\n", b"\r"):
        outcome = await provider.completion(whole.replace(b"\n", end))
        assert outcome.object == DECISION.encode()
