"""Whatever a provider streams: an answer that is whole, or a failure with a name."""

from __future__ import annotations

from typing import Any

import msgspec
import trio
from hypothesis import HealthCheck, given
from hypothesis import settings as fuzz
from hypothesis import strategies as st
from nasty import ANYTHING, spoiled

from kernel.model.errors import ModelFailure
from kernel.model.transport import Completion
from kernel.model.usage import BILLION

DECISION = '{"action":"walk","steps":3}'
KEY = "sk-proj-0123456789abcdefghijklmnop"
LINES = (b":", b"data:", b"data", b"id: 1", b"retry: 1e9", b"event: error", b"\xef\xbb\xbf", b"\r")
STATUSES = ("200 OK", "200 OK", "200 OK", "400 No", "429 No", "500 No", "302 Found", "204 Nothing")


def events_of(dialect: Any) -> list[tuple[bytes, Any]]:
    """A right stream, event by event: the line before the data, and the data."""
    stream = dialect.opening() + dialect.piece(DECISION) + dialect.ending()
    found: list[tuple[bytes, Any]] = []
    for event in filter(None, stream.split(b"\n\n")):
        before, _, data = event.rpartition(b"data: ")
        done = data == b"[DONE]"
        found.append((before, None if done else msgspec.json.decode(data)))
    return found


def spoiled_event(before: bytes, data: Any) -> st.SearchStrategy[bytes]:
    if data is None:
        return st.sampled_from([b"data: [DONE]\n\n", b""])
    right = st.just(msgspec.json.encode(data))
    odd = st.sampled_from(ANYTHING) | st.binary(max_size=50) | st.sampled_from(LINES)
    return st.one_of(
        st.one_of(right, right, spoiled([data], keep=("type",))).map(
            lambda one: before + b"data: " + one + b"\n\n"
        ),
        odd.map(lambda one: one + b"\n\n"),
    )


@fuzz(
    max_examples=fuzz().max_examples // 4,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data(), status=st.sampled_from(STATUSES), ends=st.sampled_from(["ends", "is cut"]))
async def test_whatever_a_provider_streams_is_an_answer_or_a_failure_with_a_name(
    provider: Any, data: st.DataObject, status: str, ends: str
) -> None:
    steps = [data.draw(spoiled_event(*event)) for event in events_of(provider.dialect)]
    retry = data.draw(st.sampled_from(["", "1e400", "-1", "9" * 400, "Mon, 99 Foo"]))
    async with trio.open_nursery() as nursery:
        serving = type(provider)(nursery, provider.dialect)
        await serving.serve()
        serving.plays(
            *filter(None, steps),
            then=ends,
            status=status,
            retry_after=retry,
            location="http://x.test",
        )
        outcome = await serving.ask()
        nursery.cancel_scope.cancel()
    assert isinstance(outcome, Completion | ModelFailure)
    if isinstance(outcome, Completion):
        assert isinstance(msgspec.json.decode(outcome.object), dict)
    else:
        assert len(outcome.message) <= 1_000
        assert outcome.message.isprintable()
        assert KEY not in repr(outcome)
    if (usage := outcome.usage) is not None:
        assert 0 <= usage.tokens <= 6 * BILLION
    assert len(serving.requests) == 1, "a redirect was followed, or it tried again by itself"
