from __future__ import annotations

import pytest

from kernel.backoff import wait_after_failed_action, wait_after_failure


@pytest.mark.parametrize(
    ("failures", "retry_after", "wait"),
    [
        (0, None, 0), (1, None, 1), (2, None, 2), (3, None, 4), (4, None, 8), (9, None, 8),
        (1, 30.0, 30), (1, 0.5, 1), (4, 3.0, 8), (1, 3600.0, 60), (0, 30.0, 0),
    ],
)  # fmt: skip
def test_k11_waits_double_and_the_provider_may_only_lengthen_them(
    failures: int, retry_after: float | None, wait: float
) -> None:
    assert wait_after_failure(failures, retry_after) == wait


def test_k14_failed_actions_wait_up_to_half_a_minute() -> None:
    waits = [wait_after_failed_action(n) for n in range(9)]
    assert waits == [0, 1, 2, 4, 8, 16, 30, 30, 30]
    assert wait_after_failed_action(10_000) == 30
