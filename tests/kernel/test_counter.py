import pytest

from kernel.counter import Counter


@pytest.mark.parametrize(
    ("came", "count"),
    [
        ([], 0),
        (["a"], 1),
        (["a", "a", "a"], 3),
        (["a", "a", "b"], 1),
        (["a", "b", "a", "b"], 1),
        ([None], 1),
        ([None, None], 2),
    ],
)
def test_only_the_same_in_a_row_counts(came: list[str | None], count: int):
    counter = Counter()
    for value in came:
        counter = counter.then(value)

    assert counter.count == count
