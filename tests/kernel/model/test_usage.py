import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.model.usage import AnthropicCount, Usage, openai_usage


def report(**fields: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(fields))


@pytest.mark.parametrize(
    "raw",
    [b"", b"null", b"{}", b"[]", b'"12"', b'{"prompt_tokens":null}', b'{"prompt_tokens":"9"}',
     b'{"prompt_tokens":-1,"completion_tokens":true}', b'{"prompt_tokens":1.5}',
     b'{"prompt_tokens":99999999999999999999}', b'{"prompt_tokens":%b}' % (b"9" * 5_000),
     b'{"prompt_tokens":1e999}', b'{"prompt_tokens":9,"new":%b}' % (b"[" * 20_000)],
)  # fmt: skip
def test_case_17_a_report_without_a_count_is_no_report(raw: bytes) -> None:
    assert openai_usage(msgspec.Raw(raw)) is None
    count = AnthropicCount()
    count.read(msgspec.Raw(raw), final=True)
    assert count.usage() is None


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 50,
                "total_tokens": 150,
                "prompt_tokens_details": {"cached_tokens": 80, "cache_write_tokens": 5},
                "completion_tokens_details": {"reasoning_tokens": 30},
            },
            Usage(input=100, output=50, cache_read=80, cache_write=5, reasoning=30),
        ),
        # Reasoning counted beside the completion shows in the total.
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 50,
                "total_tokens": 180,
                "completion_tokens_details": {"reasoning_tokens": 30},
            },
            Usage(input=100, output=80, reasoning=30),
        ),
        # More cached than there was of the prompt cannot be: a part never exceeds its whole.
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 1,
                "prompt_tokens_details": {"cached_tokens": 90, "cache_write_tokens": 90},
            },
            Usage(input=10, output=1, cache_read=10),
        ),
        ({"prompt_tokens": 10}, Usage(input=10, output=0, complete=False)),
        ({"completion_tokens": 7}, Usage(input=0, output=7, complete=False)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, Usage(input=0, output=0, complete=False)),
        (
            {"prompt_tokens": 3, "completion_tokens": 0, "prompt_tokens_details": None},
            Usage(input=3, output=0),
        ),
    ],
)
def test_case_18_cached_tokens_inside_the_input_count_once(
    fields: dict[str, object], expected: Usage
) -> None:
    assert openai_usage(report(**fields)) == expected


def test_case_18_later_reports_replace_earlier_ones_field_by_field() -> None:
    count = AnthropicCount()
    count.read(report(input_tokens=10, cache_read_input_tokens=90, output_tokens=1), final=False)
    assert count.usage() == Usage(input=100, output=1, cache_read=90, complete=False)
    count.read(report(output_tokens=44, input_tokens=None), final=True)
    assert count.usage() == Usage(input=100, output=44, cache_read=90)


def test_a_final_report_without_the_output_is_not_complete() -> None:
    count = AnthropicCount()
    count.read(report(input_tokens=10, output_tokens=1), final=False)
    count.read(report(), final=True)
    usage = count.usage()
    assert usage is not None
    assert not usage.complete


counts = st.none() | st.integers(-5, 2_000_000_000) | st.booleans() | st.text(max_size=2)


@given(counts, counts, counts, counts, counts)
def test_no_part_exceeds_its_whole(
    prompt: object, completion: object, total: object, cached: object, reasoning: object
) -> None:
    usage = openai_usage(
        report(
            prompt_tokens=prompt,
            completion_tokens=completion,
            total_tokens=total,
            prompt_tokens_details={"cached_tokens": cached, "cache_write_tokens": cached},
            completion_tokens_details={"reasoning_tokens": reasoning},
        )
    )
    if usage is not None:
        assert 0 <= usage.cache_read + usage.cache_write <= usage.input
        assert 0 <= usage.reasoning <= usage.output
