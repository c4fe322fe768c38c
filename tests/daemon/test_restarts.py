"""When a seat plays again after a death, and when it has failed (case 12)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.restarts import Deaths, after_death, wait_after


def run(moments: list[tuple[float, float]]):
    deaths = Deaths()
    delays: list[float | None] = []
    for now, ran_for in moments:
        verdict = after_death(deaths, now, ran_for)
        deaths = verdict.deaths
        delays.append(verdict.delay)
    return delays, verdict


def test_the_waits_double_up_to_a_minute():
    delays, _ = run([(index * 3600.0, 1.0) for index in range(9)])
    assert delays == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_the_sixth_death_in_ten_minutes_fails_the_seat():
    delays, last = run([(index * 100.0, 50.0) for index in range(6)])
    assert delays[:5] == [1, 2, 4, 8, 16]
    assert last.delay is None
    assert last.reason == "6 deaths in 10 minutes"


@pytest.mark.parametrize("uptime", [0.0, 599.0, 601.0, 3600.0])
def test_the_thirteenth_death_in_a_day_fails_the_seat_however_long_each_lived(uptime: float):
    """Case 12."""
    delays, last = run([(index * 3700.0, uptime) for index in range(13)])
    assert None not in delays[:12]
    assert last.reason == "13 deaths in 24 hours"


def test_deaths_of_yesterday_do_not_count():
    delays, _ = run([(index * 7300.0, 60.0) for index in range(40)])
    assert None not in delays


def test_ten_clean_minutes_begin_the_waits_anew():
    delays, _ = run([(0.0, 1.0), (10.0, 1.0), (2000.0, 600.0), (2010.0, 1.0)])
    assert delays == [1, 2, 1, 2]


def test_a_wait_stays_a_minute_after_days_of_refusals():
    assert wait_after(100_000) == 60


@settings(max_examples=40)
@given(st.lists(st.tuples(st.floats(0, 30_000), st.floats(0, 30_000)), min_size=40, max_size=40))
def test_whatever_the_times_are_no_day_has_more_than_twelve_borne_deaths(
    gaps: list[tuple[float, float]],
):
    now, deaths, borne = 0.0, Deaths(), []
    for gap, ran_for in gaps:
        now += gap
        verdict = after_death(deaths, now, ran_for)
        deaths = verdict.deaths
        assert len(deaths.times) <= 41
        if verdict.delay is not None:
            assert 1 <= verdict.delay <= 60
            borne.append(now)
    for time in borne:
        assert sum(0 <= time - earlier < 86_400 for earlier in borne) <= 12
