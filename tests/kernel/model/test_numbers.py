import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.model.numbers import LARGEST, lossless_int, lossless_number

NOTHING = ["", " 17", "17 ", "+17", "017", "0x11", "١٧", "1_000", "NaN", "Infinity", "--1", "1e999"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(17, 17), ("17", 17), (16.0, 16), ("16.0", 16), ("-3", -3), (0, 0), ("-0", 0), (-0.0, 0)],
)
def test_case_6_a_whole_number_is_taken_however_it_is_written(value: object, expected: int) -> None:
    taken = lossless_int(value)
    assert taken == expected
    assert type(taken) is int


@pytest.mark.parametrize(
    "value",
    [
        "3.14",
        3.14,
        True,
        False,
        None,
        float("nan"),
        float("inf"),
        1e300,
        2**53 + 1,
        str(2**53 + 1),
        "1e2",
        [],
        {},
        b"17",
        *NOTHING,
    ],
)
def test_case_6_what_is_no_whole_number_is_not_made_one(value: object) -> None:
    assert lossless_int(value) is None


@pytest.mark.parametrize(
    ("value", "expected"), [(1, 1.0), ("3.14", 3.14), (2.5, 2.5), ("-1e3", -1000.0), ("0", 0.0)]
)
def test_a_number_is_taken_however_it_is_written(value: object, expected: float) -> None:
    assert lossless_number(value) == expected


@pytest.mark.parametrize(
    "value",
    [True, None, float("nan"), float("-inf"), 10**400, 1e17, "1e300", ".5", "5.", [], *NOTHING],
)
def test_what_is_no_number_is_not_made_one(value: object) -> None:
    assert lossless_number(value) is None


@given(st.integers(-LARGEST, LARGEST))
def test_every_spelling_of_a_whole_number_is_that_number(whole: int) -> None:
    for spelling in (whole, str(whole), float(whole), f"{whole}.0"):
        assert lossless_int(spelling) == whole


@given(st.text())
def test_no_text_raises(text: str) -> None:
    lossless_int(text)
    lossless_number(text)
