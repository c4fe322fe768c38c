from __future__ import annotations

import pytest

from kernel.journal.instant import instant


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_787_112_915.707, "2026-08-19T04:15:15.707Z"),
        (1_787_112_915.9996, "2026-08-19T04:15:16.000Z"),
        (951_782_400, "2000-02-29T00:00:00.000Z"),
    ],
)
def test_wall_time_is_utc_with_milliseconds(seconds: float, text: str) -> None:
    assert instant(seconds) == text
