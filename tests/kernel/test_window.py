from hypothesis import given
from hypothesis import strategies as st

from kernel.window import Window


def test_an_empty_window_has_no_revisits():
    assert Window(12).revisits == 0
    assert len(Window(12)) == 0


def test_a_value_that_comes_back_is_a_revisit():
    window = Window(12).then("door").then("hall").then("door")

    assert window.revisits == 1
    assert "hall" in window
    assert "roof" not in window


def test_what_left_the_window_is_forgotten():
    window = Window(2).then("door").then("hall").then("roof")

    assert window.values == ("hall", "roof")
    assert window.then("door").revisits == 0


@given(st.integers(1, 6), st.lists(st.integers(0, 4), max_size=20))
def test_a_window_is_the_tail_of_what_came(size: int, came: list[int]):
    window = Window(size)
    for value in came:
        window = window.then(value)

    assert window.values == tuple(came[-size:])
    assert window.revisits == len(came[-size:]) - len(set(came[-size:]))
