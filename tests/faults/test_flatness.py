"""What counts as growth."""

import pytest
from flatness import growth, settled


def test_warming_up_is_no_growth():
    assert growth([10, 20, 29, 30, 30, 30, 30, 30, 30, 30, 30, 30]) == 0


def test_what_grows_slowly_and_lastingly_is_growth():
    assert growth(list(range(100))) == 50


def test_a_few_outliers_are_not_seen():
    values = [30.0] * 40
    values[15] = values[35] = 900.0
    assert (settled(values), growth(values)) == (30, 0)


def test_what_falls_back_has_not_grown():
    assert growth([10, 10, 40, 40, 30, 30, 20, 20]) < 0


def test_too_few_values_are_no_measurement():
    with pytest.raises(ValueError, match="no quarters"):
        growth([1, 2, 3])
