"""What a supervisor with real session processes exposes."""

import re

import pytest
import trio
from prometheus_client.parser import text_string_to_metric_families

from config.settings import Settings
from daemon.metrics.metrics import open_metrics
from daemon.metrics.pages import pages_of


def samples(exposition: bytes) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(exposition.decode())
        for sample in family.samples
    }


def value(exposition: bytes, name: str, **labels: str) -> float:
    return samples(exposition)[f"playd_{name}", tuple(sorted(labels.items()))]


async def test_a_session_is_seen_from_its_start_to_its_end(opened) -> None:
    async with opened("plays", 3) as daemon:
        with open_metrics(daemon.supervisor) as metrics:
            assert value(await metrics.exposition(), "seat_state", seat="red", state="idle") == 1
            await daemon.join("red")
            await daemon.until_phase("deciding")
            playing = await metrics.exposition()
            await daemon.stop("red")
            await daemon.until_seat("idle")
            ended = await metrics.exposition()

    assert value(playing, "seat_state", seat="red", state="running") == 1
    assert value(playing, "seat_state", seat="red", state="idle") == 0
    assert value(playing, "sessions", state="running") == 1
    assert value(playing, "session_resident_memory_bytes", seat="red") > 1_000_000
    assert value(playing, "last_turn_timestamp_seconds", seat="red") > 0
    assert value(ended, "seat_state", seat="red", state="idle") == 1
    assert value(ended, "session_resident_memory_bytes", seat="red") == 0
    assert value(ended, "session_cpu_seconds_total", seat="red") >= 0
    assert value(ended, "sessions_ended_total", seat="red", outcome="stopped") == 1
    assert value(ended, "stop_duration_seconds_count") == 1


async def test_no_series_goes_when_a_session_ends(opened) -> None:
    async with opened("plays", 3) as daemon:
        with open_metrics(daemon.supervisor) as metrics:
            await daemon.join("red")
            await daemon.until_phase("deciding")
            playing = await metrics.exposition()
            await daemon.stop("red")

            assert samples(playing).keys() <= samples(await metrics.exposition()).keys()


async def test_the_budget_is_told_as_a_part_of_its_ceiling(opened) -> None:
    async with opened("plays", 11) as daemon:
        with open_metrics(daemon.supervisor) as metrics:
            await daemon.join("red")

            async def all_played() -> bool:
                session = (await daemon.seat("red")).session
                return session is not None and session.turns_taken == 11

            await daemon.until(all_played)
            exposition = await metrics.exposition()
            await daemon.stop()
            over = await metrics.exposition()

    assert value(exposition, "budget_used_ratio", seat="red", kind="tokens") == 1000 / 250_000
    assert value(exposition, "budget_used_ratio", seat="red", kind="dollars") == 0
    assert value(exposition, "cost_unknown", seat="red") == 1
    assert value(exposition, "turns_total", seat="red", outcome="accepted") == 11
    assert value(over, "budget_used_ratio", seat="red", kind="tokens") == 0
    assert value(over, "cost_unknown", seat="red") == 0


async def test_promtool_finds_nothing_to_say(opened, promtool) -> None:
    async with opened("plays", 3) as daemon:
        with open_metrics(daemon.supervisor) as metrics:
            await daemon.join("red")
            await daemon.until_phase("deciding")
            exposition = await metrics.exposition()

    checked = await trio.run_process(
        [promtool, "check", "metrics"], stdin=exposition, capture_stderr=True, check=False
    )
    assert (checked.returncode, checked.stderr.decode()) == (0, "")


async def test_labels_hold_names_and_fixed_words_alone(opened) -> None:
    """No id, path or text of a session or a person ever becomes a series."""
    async with opened("plays", 3) as daemon:
        with open_metrics(daemon.supervisor) as metrics:
            await daemon.join("red")
            await daemon.until_phase("deciding")
            exposition = await metrics.exposition()

    allowed = re.compile(r"[a-z0-9_-]{1,40}|\+Inf|[0-9.e+]+|[0-9]+(\.[0-9a-z+]+)+")
    for name, labels in samples(exposition):
        for label, text in labels:
            assert allowed.fullmatch(text), f"{name} {label}={text}"


async def test_readiness_ends_with_the_drain_and_health_does_not(opened, caller) -> None:
    async with opened("good") as daemon:
        with open_metrics(daemon.supervisor) as metrics:
            pages = pages_of(daemon.supervisor, metrics, caller)
            before = [(await pages[path]()).status for path in ("/healthz", "/readyz")]
            await daemon.supervisor.drain(caller)
            after = [(await pages[path]()).status for path in ("/healthz", "/readyz")]

    assert before == [200, 200]
    assert after == [200, 503]


@pytest.mark.parametrize("seats", [1, 5])
async def test_a_seat_costs_a_fixed_number_of_lines(opened, make_settings, seats: int) -> None:
    settings: Settings = make_settings(*(f"seat-{number}" for number in range(seats)))
    async with opened("good", settings=settings) as daemon:
        with open_metrics(daemon.supervisor) as metrics:
            lines = (await metrics.exposition()).count(b'seat="')

    assert lines == seats * 96
