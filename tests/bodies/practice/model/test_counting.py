"""What the server counts is what it tells."""

import httpx
import msgspec
import pytest

from bodies.practice.model.counting import Prefixes, prompt_tokens, tokens
from bodies.practice.model.wire import Message, Part

CHARACTERS = [(0, 0), (1, 1), (4, 1), (5, 2)]


@pytest.mark.parametrize(("characters", "expected"), CHARACTERS)
def test_a_token_is_four_characters_rounded_up(characters, expected):
    assert tokens(characters) == expected


def test_a_prompt_counts_all_its_texts_together_and_each_picture():
    parts = (Part("image_url"), Part(text="ab"), Part(text="cd"))
    messages = (Message("system", "éé"), Message("user", parts), Message("assistant"))
    assert prompt_tokens(messages) == 2 + 85


def test_a_system_text_is_cached_from_its_second_time_until_it_is_forgotten():
    prefixes = Prefixes()
    assert [prefixes.cached_tokens("x" * 10) for _ in range(2)] == [0, 2]
    for number in range(256):
        prefixes.cached_tokens(f"another {number}")
    assert prefixes.cached_tokens("x" * 10) == 0


async def test_the_ledger_and_the_client_agree_on_every_token(open_model, prompt):
    model = await open_model()
    answers = [await model.ask(prompt, takes_images=True) for _ in range(3)]
    expected = tokens(len(prompt.system) + len("One.Two."))
    entries = await model.entries(3)
    for answer, entry in zip(answers, entries, strict=True):
        assert answer.usage.input == entry["promptTokens"] == expected
        assert answer.usage.output == entry["completionTokens"] == tokens(len(answer.text))
        assert answer.usage.cache_read == entry["cachedTokens"]
    assert [entry["cachedTokens"] for entry in entries] == [0, 4, 4]
    assert [entry["index"] for entry in entries] == [0, 1, 2]


async def test_an_answer_longer_than_its_limit_is_cut_and_counted_as_cut(open_model, prompt):
    model = await open_model()
    failed = await model.ask(prompt, 3)
    assert failed.kind == "truncated"
    assert failed.usage.output == 3
    (entry,) = await model.entries(1)
    assert entry["completionTokens"] == 3


async def test_usage_that_nobody_asked_for_is_not_told(open_model):
    model = await open_model()
    body = {"model": "practice", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
    async with httpx.AsyncClient() as client:
        answer = await client.post(f"{model.address}/chat/completions", json=body)
    assert b"usage" not in answer.content
    assert answer.content.endswith(b"data: [DONE]\n\n")
    assert not (await model.entries(1))[0]["usageReported"]
    assert msgspec.json.decode(answer.content.split(b"\n")[0][6:])["model"] == "practice"
