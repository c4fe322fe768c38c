import email.utils

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.model.errors import ProviderError, clean, read_error, retry_after

NOW = 1_800_000_000.0


def date(offset: float) -> str:
    return email.utils.formatdate(NOW + offset, usegmt=True)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("7", 7.0),
        ("0", 0.0),
        ("1.5", 1.5),
        (" 3600 ", 3600.0),
        (date(90), 90.0),
        (date(-90), None),
        ("-1", None),
        ("", None),
        ("soon", None),
        ("1e9", None),
        ("nan", None),
        ("inf", None),
        ("٣", None),
        ("9" * 400, None),
        ("Wed, 99 Foo 2026 00:00:00 GMT", None),
    ],
)
def test_case_20_retry_after(value: str, expected: float | None) -> None:
    assert retry_after({"retry-after": value}, NOW) == expected


def test_no_header_asks_for_no_wait() -> None:
    assert retry_after({}, NOW) is None


@given(st.text())
def test_no_header_raises(value: str) -> None:
    wait = retry_after({"retry-after": value}, NOW)
    assert wait is None or wait >= 0


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b"\xff", b'{"error":null}'])
def test_a_body_without_an_error_object_has_none(body: bytes) -> None:
    assert read_error(body) is None


def test_fields_of_other_types_are_not_taken() -> None:
    body = b'{"error":{"message":7,"code":true,"type":[],"param":{}}}'
    assert read_error(body) == ProviderError(message="")


def test_a_message_is_one_short_printable_line() -> None:
    assert clean("a\n\tb\x1b[31m\u2028c", "") == "a b [31m c"
    assert len(clean("x" * 9000, "")) == 300


@pytest.mark.parametrize(
    "text",
    ["key s3cr3tw0rd.", "Bearer s3cr3tw0rd", "sk-ant-s3cr3tw0rd", "x" * 295 + "s3cr3tw0rd"],
)
def test_nothing_that_looks_like_a_key_survives(text: str) -> None:
    assert "s3cr" not in clean(text, "s3cr3tw0rd")
