"""The model transport at the HTTP boundary, in both providers' languages."""

import gc
import warnings
from typing import Any

import httpx
import pytest
import trio

from kernel.model.errors import FailureKind, ModelFailure
from kernel.model.request import Prompt, Schema, Secret
from kernel.model.transport import Completion, complete, open_client
from kernel.model.usage import NOTHING_USED

DECISION = '{"action":"walk","steps":3}'
KEY = "sk-proj-0123456789abcdefghijklmnop"


async def test_a_whole_answer_carries_its_object_its_usage_and_its_names(provider: Any) -> None:
    d = provider.dialect
    outcome = await provider.completion(
        d.opening(), d.piece(DECISION[:9]), d.piece(DECISION[9:]), d.ending(), x_request_id="r-7"
    )
    assert outcome.object == DECISION.encode()
    assert outcome.text == DECISION
    assert (outcome.request_id, outcome.model) == ("r-7", "m-1")
    assert outcome.first_token_seconds > 0
    usage = outcome.usage
    assert usage is not None
    assert (usage.input, usage.output, usage.cache_read, usage.complete) == (100, 20, 60, True)


async def test_case_1_a_fence_around_the_object_and_one_inside_a_string(provider: Any) -> None:
    d = provider.dialect
    inner = '{"action":"say","text":"```json\\n{}\\n```"}'
    outcome = await provider.completion(d.opening(), d.piece(f"```json\n{inner}\n```"), d.ending())
    assert outcome.object == inner.encode()


async def test_case_2_prose_with_braces_after_the_object(provider: Any) -> None:
    d = provider.dialect
    outcome = await provider.completion(
        d.opening(), d.piece(DECISION + "\nI chose {that} over {this: one}."), d.ending()
    )
    assert outcome.object == DECISION.encode()


async def test_case_2_two_objects_that_differ(provider: Any) -> None:
    d = provider.dialect
    failed = await provider.failure(
        d.opening(), d.piece(DECISION + '\n{"action":"wait"}'), d.ending()
    )
    assert failed.kind is FailureKind.AMBIGUOUS
    assert failed.usage is not None
    assert failed.usage.complete


async def test_case_3_prose_that_names_a_move_is_no_object(provider: Any) -> None:
    d = provider.dialect
    failed = await provider.failure(d.opening(), d.piece("I walk to the left."), d.ending())
    assert failed.kind is FailureKind.NOT_JSON
    assert "walk" not in repr(failed)


@pytest.mark.parametrize(
    ("status", "kind", "fatal"),
    [
        ("400 Bad Request", FailureKind.BAD_REQUEST, False),
        ("401 Unauthorized", FailureKind.UNAUTHORIZED, True),
        ("403 Forbidden", FailureKind.UNAUTHORIZED, True),
        ("404 Not Found", FailureKind.NOT_FOUND, True),
        ("413 Too Large", FailureKind.CONTEXT_TOO_LONG, False),
        ("429 Too Many Requests", FailureKind.RATE_LIMITED, False),
        ("500 Error", FailureKind.SERVER, False),
        ("503 Unavailable", FailureKind.OVERLOADED, False),
        ("529 Overloaded", FailureKind.OVERLOADED, False),
        ("307 Temporary Redirect", FailureKind.PROTOCOL, False),
    ],
)
async def test_case_4_and_9_a_status_has_its_kind_and_some_end_at_once(
    provider: Any, status: str, kind: FailureKind, fatal: bool
) -> None:
    body = b'{"error":{"type":"some_error","message":"No such thing for m-1."}}'
    failed = await provider.failure(
        body, status=status, kind="application/json", request_id="r-9", location="/elsewhere"
    )
    assert (failed.kind, failed.fatal, failed.status) == (kind, fatal, int(status[:3]))
    assert (failed.request_id, failed.code) == ("r-9", "some_error")
    assert failed.message == "No such thing for m-1."
    assert failed.usage is None
    assert len(provider.requests) == 1


async def test_case_4_the_key_is_in_no_part_of_a_failure(provider: Any) -> None:
    body = f'{{"error":{{"message":"Wrong key {KEY} or sk-pr***op, Bearer abc","code":"{KEY}"}}}}'
    failed = await provider.failure(
        body.encode(), status="401 Unauthorized", kind="application/json", x_request_id=KEY
    )
    for secret in (KEY, "sk-pr", "abc"):
        assert secret not in repr(failed)


async def test_case_5_a_safety_stop_is_a_refusal_whatever_had_been_said(provider: Any) -> None:
    d = provider.dialect
    for pieces in ((), (d.piece(DECISION),)):
        failed = await provider.failure(d.opening(), *pieces, d.ending(d.safety))
        assert failed.kind is FailureKind.REFUSED
        assert failed.usage.complete


async def test_case_7_an_empty_answer(provider: Any) -> None:
    d = provider.dialect
    failed = await provider.failure(d.opening(), d.piece(""), d.ending())
    assert failed.kind is FailureKind.EMPTY


@pytest.mark.parametrize("text", ["", '{"action":"walk","st', DECISION])
async def test_case_8_nothing_that_may_be_cut_is_used(provider: Any, text: str) -> None:
    d = provider.dialect
    failed = await provider.failure(
        d.opening(), d.thought("Left or right?"), d.piece(text), d.ending(d.length)
    )
    assert failed.kind is FailureKind.TRUNCATED
    assert failed.usage.complete
    assert failed.usage.tokens == 120


async def test_case_8_an_end_of_an_unknown_kind_may_be_a_cut(provider: Any) -> None:
    d = provider.dialect
    failed = await provider.failure(d.opening(), d.piece(DECISION), d.ending("paused"))
    assert (failed.kind, failed.code) == (FailureKind.TRUNCATED, "paused")


async def test_case_11_what_is_not_content_is_ignored(provider: Any) -> None:
    d = provider.dialect
    noise = b": keep-alive\n\n", b"data:\n\n", b"data: \n\n", b"\n\n", b"id: 4\n\n", b":\r\n\r\n"
    outcome = await provider.completion(
        *noise, d.opening(), *noise, d.piece(DECISION), *noise, d.ending()
    )
    assert outcome.object == DECISION.encode()


async def test_case_12_a_stream_split_byte_by_byte_is_intact(provider: Any) -> None:
    d = provider.dialect
    text = '{"say":"Pokémon ✓ 🎮 straße"}'
    whole = d.opening() + d.piece(text) + d.ending()
    outcome = await provider.completion(*(whole[i : i + 1] for i in range(len(whole))))
    assert outcome.object == text.encode()


@pytest.mark.parametrize("damage", [b"\xff", b"\xc3", b"\xed\xa0\x80"])
async def test_case_12_a_byte_that_is_not_utf8_fails_the_call(provider: Any, damage: bytes) -> None:
    d = provider.dialect
    piece = d.piece('{"say":"MARK"}').replace(b"MARK", damage)
    failed = await provider.failure(d.opening(), piece, d.ending())
    assert failed.kind is FailureKind.PROTOCOL


@pytest.mark.parametrize(
    ("kind", "expected", "status"),
    [
        ("overloaded_error", FailureKind.OVERLOADED, 529),
        ("rate_limit_error", FailureKind.RATE_LIMITED, 429),
        ("authentication_error", FailureKind.UNAUTHORIZED, 401),
        ("not_found_error", FailureKind.NOT_FOUND, 404),
        ("insufficient_quota", FailureKind.QUOTA, 429),
        ("api_error", FailureKind.SERVER, 500),
    ],
)
async def test_case_13_an_error_inside_the_stream_is_that_error_as_a_status(
    provider: Any, kind: str, expected: FailureKind, status: int
) -> None:
    d = provider.dialect
    failed = await provider.failure(
        d.opening(), d.piece('{"action"'), d.piece(':"w"}'), d.error(kind, "Busy."), d.ending()
    )
    assert (failed.kind, failed.status, failed.message) == (expected, status, "Busy.")
    assert failed.usage is None or not failed.usage.complete


async def test_case_14_a_cut_without_the_end_marker_fails_even_a_whole_object(
    provider: Any,
) -> None:
    d = provider.dialect
    for ways in ({"then": "cut"}, {"then": "ends"}, {"then": "cut", "chunked": False}):
        failed = await provider.failure(d.opening(), d.piece(DECISION), **ways)
        assert failed.kind is FailureKind.CONNECTION
        assert failed.usage is None or not failed.usage.complete


async def test_case_15_silence_after_a_chunk_is_a_stall(provider: Any) -> None:
    d = provider.dialect
    provider.plays(d.opening(), d.piece('{"act'), then="hangs")
    failed = await provider.ask(stall=0.1)
    assert failed.kind is FailureKind.STALL
    with trio.fail_after(60):
        await provider.closed.wait()


async def test_case_15_comments_are_no_progress(provider: Any) -> None:
    d = provider.dialect
    provider.plays(d.opening(), d.piece('{"act'), then="trickles")
    assert (await provider.ask(stall=0.1)).kind is FailureKind.STALL


async def test_the_deadline_holds_before_the_first_token_and_while_bytes_trickle(
    provider: Any,
) -> None:
    d = provider.dialect
    for steps, then, answers in (
        ((), "hangs", False),
        ((), "hangs", True),
        ((d.opening(),), "trickles", True),
    ):
        provider.plays(*steps, then=then, answers=answers)
        failed = await provider.ask(deadline=0.1, stall=0.01)
        assert failed.kind is FailureKind.DEADLINE


async def test_a_thought_is_progress_and_no_text(provider: Any) -> None:
    d = provider.dialect
    provider.plays(d.opening(), d.thought('{"action":"thought"}'), then="hangs")
    assert (await provider.ask(stall=0.1)).kind is FailureKind.STALL
    outcome = await provider.completion(
        d.opening(), d.thought('{"action":"thought"}'), d.piece(DECISION), d.ending()
    )
    assert outcome.object == DECISION.encode()


async def test_case_16_a_withdrawn_call_closes_its_connection_and_says_what_was_reported(
    provider: Any, nursery: trio.Nursery
) -> None:
    d = provider.dialect
    provider.plays(d.opening(), d.piece('{"act'), then="hangs")
    scope = trio.CancelScope()

    async def withdraw() -> None:
        await provider.sent.wait()
        scope.cancel()

    nursery.start_soon(withdraw)
    failed = await provider.ask(scope=scope)
    assert failed.kind is FailureKind.CANCELLED
    assert failed.usage is None or not failed.usage.complete
    with trio.fail_after(60):
        await provider.closed.wait()


async def test_case_16_cancelled_from_further_out_the_connection_closes_and_the_client_lives_on(
    provider: Any, nursery: trio.Nursery
) -> None:
    d = provider.dialect
    endpoint = provider.endpoint()
    prompt = Prompt(system="s", parts=("p",), schema=Schema("decision", b"{}"))
    async with open_client(endpoint) as client:
        provider.plays(d.opening(), d.piece('{"act'), then="hangs")
        with trio.CancelScope() as outer:

            async def stop() -> None:
                await provider.sent.wait()
                outer.cancel()

            nursery.start_soon(stop)
            await complete(client, endpoint, prompt, 10)
        assert outer.cancelled_caught
        with trio.fail_after(60):
            await provider.closed.wait()
        provider.plays(d.opening(), d.piece(DECISION), d.ending())
        outcome = await complete(client, endpoint, prompt, 10)
        assert isinstance(outcome, Completion)
        assert len(provider.requests) == 2


@pytest.mark.parametrize("usage", [None, {}, {"note": "none"}, {"output_tokens": None}])
async def test_case_17_usage_that_is_absent_is_never_zero(provider: Any, usage: Any) -> None:
    d = provider.dialect
    outcome = await provider.completion(
        d.opening(), d.piece(DECISION), d.unreported_ending(usage=usage)
    )
    assert outcome.usage is None or not outcome.usage.complete


@pytest.mark.parametrize(
    ("value", "expected"), [("7", 7.0), ("3600", 3600.0), ("soon", None), ("-3", None)]
)
async def test_case_20_retry_after_is_told_uncapped_and_garbage_is_not(
    provider: Any, value: str, expected: float | None
) -> None:
    failed = await provider.failure(b"{}", status="429 Too Many Requests", retry_after=value)
    assert failed.retry_after == expected


async def test_case_21_every_attempt_is_one_request(provider: Any) -> None:
    provider.plays(b"{}", status="429 Too Many Requests")
    for _ in range(3):
        assert (await provider.ask()).kind is FailureKind.RATE_LIMITED
    assert len(provider.requests) == 3


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ('{"code":"insufficient_quota","message":"Pay."}', FailureKind.QUOTA),
        ('{"type":"insufficient_quota","message":"Pay."}', FailureKind.QUOTA),
        ('{"code":"x","message":"insufficient_quota: quota exceeded"}', FailureKind.RATE_LIMITED),
    ],
)
async def test_case_21_quota_is_a_code_and_never_prose(
    provider: Any, error: str, kind: FailureKind
) -> None:
    body = f'{{"error":{error}}}'.encode()
    failed = await provider.failure(body, status="429 Too Many Requests", kind="application/json")
    assert (failed.kind, failed.fatal) == (kind, kind is FailureKind.QUOTA)


@pytest.mark.parametrize(
    "error",
    [
        '{"code":"context_length_exceeded","message":"No."}',
        '{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}',
        '{"type":"exceed_context_size_error","message":"No.","code":400}',
    ],
)
async def test_case_22_a_context_that_is_too_long_has_its_own_name(
    provider: Any, error: str
) -> None:
    body = f'{{"error":{error}}}'.encode()
    failed = await provider.failure(body, status="400 Bad Request", kind="application/json")
    assert failed.kind is FailureKind.CONTEXT_TOO_LONG


async def test_an_error_body_that_never_ends_leaves_the_status(provider: Any) -> None:
    provider.plays(b'{"error":', status="401 Unauthorized", then="hangs")
    failed = await provider.ask(deadline=0.2)
    assert (failed.kind, failed.status) == (FailureKind.UNAUTHORIZED, 401)


async def test_an_endless_error_body_is_read_in_part(provider: Any) -> None:
    failed = await provider.failure(*[b"x" * 60_000] * 40, status="500 Error", kind="text/html")
    assert failed.kind is FailureKind.SERVER
    assert len(failed.message) <= 300


async def test_an_error_in_a_plain_200_body_is_that_error(provider: Any) -> None:
    body = b'{"error":{"message":"No credit.","code":401}}'
    failed = await provider.failure(body, kind="application/json")
    assert (failed.kind, failed.status) == (FailureKind.UNAUTHORIZED, 401)


@pytest.mark.parametrize("kind", ["application/json", "text/html"])
async def test_a_200_that_is_no_event_stream_is_a_broken_protocol(provider: Any, kind: str) -> None:
    failed = await provider.failure(b"{}", kind=kind)
    assert (failed.kind, failed.status) == (FailureKind.PROTOCOL, 200)


DEEP = b"[" * 20_000 + b"]" * 20_000


@pytest.mark.parametrize(
    "data",
    [b"data: {\n\n", b"data: [1]\n\n", b"data: hello\n\n", b'data: {"new":%b}\n\n' % DEEP],
)
async def test_an_event_that_is_not_the_providers_is_a_broken_protocol(
    provider: Any, data: bytes
) -> None:
    d = provider.dialect
    failed = await provider.failure(d.opening(), data, d.piece(DECISION), d.ending())
    assert failed.kind is FailureKind.PROTOCOL


async def test_an_error_nested_beyond_reading_leaves_the_status(provider: Any) -> None:
    failed = await provider.failure(b'{"error":%b}' % DEEP, status="500 Oh no")
    assert (failed.kind, failed.status) == (FailureKind.SERVER, 500)


async def test_a_compressed_stream_is_not_unpacked(provider: Any) -> None:
    failed = await provider.failure(b"\x1f\x8b", content_encoding="gzip")
    assert failed.kind is FailureKind.PROTOCOL


async def test_what_is_longer_than_any_answer_fails_the_call(provider: Any) -> None:
    d = provider.dialect
    piece = d.piece("x" * 60_000)
    assert (await provider.failure(d.opening(), *[piece] * 20)).kind is FailureKind.PROTOCOL
    line = [b"data: " + b"x" * 100_000, *[b"x" * 100_000] * 24]
    assert (await provider.failure(*line, then="hangs")).kind is FailureKind.PROTOCOL


async def test_a_long_answer_in_small_pieces_is_whole(provider: Any) -> None:
    d = provider.dialect
    text = '{"notes":"' + "n" * 200_000 + '"}'
    pieces = [d.piece(text[i : i + 400]) for i in range(0, len(text), 400)]
    outcome = await provider.completion(d.opening(), b"".join(pieces), d.ending())
    assert outcome.object == text.encode()


async def test_a_server_that_keeps_the_connection_open_after_the_end_holds_nothing(
    provider: Any,
) -> None:
    d = provider.dialect
    outcome = await provider.completion(d.opening(), d.piece(DECISION), d.ending(), then="hangs")
    assert outcome.object == DECISION.encode()
    with trio.fail_after(60):
        await provider.closed.wait()


async def test_a_server_that_hangs_up_without_an_answer_is_a_failed_connection(
    provider: Any,
) -> None:
    failed = await provider.failure(then="cut", answers=False)
    assert (failed.kind, failed.status) == (FailureKind.CONNECTION, None)
    assert len(provider.requests) == 1
    assert failed.usage is None  # the request was there: it may be billed


async def test_nobody_listening_is_a_failed_connection(provider: Any) -> None:
    listener = (await trio.open_tcp_listeners(0, host="127.0.0.1"))[0]
    port = listener.socket.getsockname()[1]
    await listener.aclose()
    failed = await provider.ask(base_url=f"http://127.0.0.1:{port}")
    assert (failed.kind, failed.status, failed.usage) == (
        FailureKind.CONNECTION,
        None,
        NOTHING_USED,
    )


async def test_a_deadline_that_ends_the_making_of_a_connection_used_nothing(provider: Any) -> None:
    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, _hold, listeners)
        port = listeners[0].socket.getsockname()[1]
        failed = await provider.ask(base_url=f"https://127.0.0.1:{port}", deadline=0.3)
        assert (failed.kind, failed.usage) == (FailureKind.DEADLINE, NOTHING_USED)
        nursery.cancel_scope.cancel()
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):
        gc.collect()  # the library leaves a socket whose handshake is cancelled to the collector


async def test_an_address_that_the_client_cannot_ask_is_a_bad_request(provider: Any) -> None:
    failed = await provider.ask(base_url="http://127.0.0.1/\x7f")
    assert failed.kind is FailureKind.BAD_REQUEST
    assert "base_url" in failed.message


async def test_a_server_is_trusted_by_the_authority_that_is_named(tls_provider: Any) -> None:
    provider, authority = tls_provider
    d = provider.dialect
    provider.plays(d.opening(), d.piece(DECISION), d.ending())
    url = provider.endpoint().base_url.replace("http://", "https://")
    outcome = await provider.ask(base_url=url, ca_file=authority)
    assert outcome.object == DECISION.encode()
    assert (await provider.ask(base_url=url)).kind is FailureKind.CONNECTION


async def test_case_16_a_withdrawn_call_closes_its_connection_under_tls_too(
    tls_provider: Any, nursery: trio.Nursery
) -> None:
    provider, authority = tls_provider
    d = provider.dialect
    provider.plays(d.opening(), d.piece('{"act'), then="hangs")
    scope = trio.CancelScope()

    async def withdraw() -> None:
        await provider.sent.wait()
        scope.cancel()

    nursery.start_soon(withdraw)
    url = provider.endpoint().base_url.replace("http://", "https://")
    failed = await provider.ask(base_url=url, ca_file=authority, scope=scope)
    assert failed.kind is FailureKind.CANCELLED
    with trio.fail_after(60):
        await provider.closed.wait()


async def test_the_environments_proxy_is_not_used(
    provider: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    d = provider.dialect
    outcome = await provider.completion(d.opening(), d.piece(DECISION), d.ending())
    assert outcome.object == DECISION.encode()


async def test_without_a_key_no_credentials_are_sent(provider: Any) -> None:
    provider.plays(b"{}", status="400 Bad Request")
    await provider.ask(api_key=Secret(""))
    head = provider.requests[0][0].lower()
    assert "authorization" not in head
    assert "x-api-key" not in head


async def test_an_output_limit_of_nothing_is_not_asked(provider: Any) -> None:
    endpoint = provider.endpoint()
    async with open_client(endpoint) as client:
        with pytest.raises(ValueError, match="at least 1 token"):
            await complete(client, endpoint, Prompt(system="s", parts=("p",)), 0)


async def test_no_part_of_a_call_is_left_to_the_garbage_collector(
    provider: Any, recwarn: pytest.WarningsRecorder
) -> None:
    d = provider.dialect
    for then in ("ends", "hangs", "cut"):
        provider.plays(d.opening(), d.piece(DECISION), d.ending(), then=then)
        assert isinstance(await provider.ask(), Completion)
        provider.plays(d.opening(), b"data: {\n\n", then=then)
        assert isinstance(await provider.ask(), ModelFailure)
        gc.collect()
    assert [str(w.message) for w in recwarn if w.category is ResourceWarning] == []


async def test_a_client_closed_in_mid_call_is_a_failed_call(
    provider: Any, nursery: trio.Nursery
) -> None:
    d = provider.dialect
    endpoint = provider.endpoint(deadline=0.5)
    provider.plays(d.opening(), then="hangs")
    client: httpx.AsyncClient = open_client(endpoint)

    async def close() -> None:
        await provider.sent.wait()
        await client.aclose()

    nursery.start_soon(close)
    outcome = await complete(client, endpoint, Prompt(system="s", parts=("p",)), 10)
    assert isinstance(outcome, ModelFailure)
    assert outcome.kind in {FailureKind.CONNECTION, FailureKind.DEADLINE}


async def _hold(stream: trio.SocketStream) -> None:
    """Says nothing and does not hang up."""
    async with stream:
        await trio.sleep_forever()
