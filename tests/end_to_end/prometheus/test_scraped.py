"""A real Prometheus scrapes a daemon whose sessions play."""

import re
import subprocess
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
import trio
from practice import practice_model, practice_world
from prometheus import Prometheus, prometheus
from real_daemon import RealDaemon, Refused, at_once, configure, real_daemon

import config

FOLDER = Path(config.__file__).parent
ALERTS = FOLDER / "alerts" / "playd.yml"
DASHBOARD = FOLDER / "dashboards" / "playd.json"
MORE = """
[models.practice.price]
input = 3.0
cache_read = 0.3
cache_write = 3.75
output = 15.0
[models.unpriced]
provider = "openai"
model = "practice"
base_url = "{model}"
[rooms.quiet]
kind = "log"
"""
SEATS = ("red", "blue")
"""The model of blue has no known price."""


async def test_what_it_sees_of_a_short_play(tmp_path: Path) -> None:
    async with watched(tmp_path) as (daemon, watching):
        await play(daemon, watching, seconds=0)


@pytest.mark.long
async def test_what_it_sees_of_a_minute_of_play(tmp_path: Path) -> None:
    async with watched(tmp_path) as (daemon, watching):
        await play(daemon, watching, seconds=60)
        assert await watching.number('min_over_time(up{job="playd"}[10m])') == 1


def test_the_rules_do_what_they_should(tmp_path: Path) -> None:
    tested = subprocess.run(
        ["promtool", "test", "rules", str(ALERTS.with_suffix(".test.yml"))],
        capture_output=True,
        text=True,
        check=False,
    )

    assert tested.returncode == 0, tested.stdout + tested.stderr


def test_every_rule_has_a_case_that_fires_it_and_one_that_does_not() -> None:
    rules = set(re.findall(r"- alert: (\w+)", ALERTS.read_text()))
    cases = ALERTS.with_suffix(".test.yml").read_text()
    fired = set(re.findall(r"alertname: (\w+)\n +exp_alerts:\n", cases))
    kept_still = set(re.findall(r"alertname: (\w+), exp_alerts: \[\]", cases))

    assert fired == kept_still == rules
    assert len(rules) > 10


@asynccontextmanager
async def watched(folder: Path) -> AsyncGenerator[tuple[RealDaemon, Prometheus]]:
    """A daemon with two seats that nobody plays yet, and a Prometheus that scrapes it."""
    async with (
        prometheus(folder, ALERTS) as watching,
        practice_world(folder) as world,
        practice_model("--latency", "0.05") as model,
    ):
        more = MORE.format(model=model)
        configuration = configure(folder, world.address, model, *SEATS, more=more)
        text = configuration.read_text().replace("local = true", "")
        head, blue = text.split("[seats.blue]")
        blue = blue.replace('model = "practice"', 'model = "unpriced"')
        configuration.write_text(f"{head}[seats.blue]{blue}")
        async with real_daemon(configuration) as daemon:
            watching.scrape(metrics_address(daemon))
            yield daemon, watching


async def play(daemon: RealDaemon, watching: Prometheus, *, seconds: float) -> None:
    """Both seats from before their start to after their end, and what is seen of it."""
    await watching.scraped_again()
    joined = await at_once(*(lambda seat=seat: daemon.join(seat) for seat in SEATS))
    assert not any(isinstance(answer, Refused) for answer in joined), joined
    await trio.sleep(seconds)
    for seat in SEATS:
        await daemon.until_turns(seat, 3)
    await watching.scraped_again()
    await promtool_finds_nothing_to_say(daemon)
    await every_panel_and_variable_has_an_answer(watching)
    await every_alert_could_fire_and_that_of_an_unknown_cost_alone_does(watching)
    await at_once(*(lambda seat=seat: daemon.stop(seat) for seat in SEATS))
    await watching.scraped_again()
    await no_series_was_dropped(watching)
    await the_counters_match_the_journals(watching, daemon)


def metrics_address(daemon: RealDaemon) -> str:
    found = re.search(r"metrics are at http://([0-9.:]+)/metrics", daemon.log.read_text())
    assert found is not None
    return found[1]


async def promtool_finds_nothing_to_say(daemon: RealDaemon) -> None:
    async with httpx.AsyncClient() as client:
        exposed = (await client.get(f"http://{metrics_address(daemon)}/metrics")).content
    command = ["promtool", "check", "metrics"]
    checked = await trio.run_process(command, stdin=exposed, capture_stderr=True, check=False)
    assert (checked.returncode, checked.stderr.decode()) == (0, "")


async def every_panel_and_variable_has_an_answer(watching: Prometheus) -> None:
    dashboard = msgspec.json.decode(DASHBOARD.read_bytes())
    queries = [query["expr"] for panel in dashboard["panels"] for query in panel.get("targets", ())]
    assert len(queries) > 30
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            values = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]["query"])
            assert values is not None
            queries.append(f"{values[1]} and on ({values[2]}) ({values[1]}) != 0")
    for query in queries:
        for name, value in (("instance", ".*"), ("seat", ".*"), ("__rate_interval", "10m")):
            query = query.replace(f"${name}", value)
        assert await watching.query(query), f"no data: {query}"


async def every_alert_could_fire_and_that_of_an_unknown_cost_alone_does(
    watching: Prometheus,
) -> None:
    rules = await watching.rules()
    for rule in rules:
        assert rule["health"] == "ok", rule
        looked_at = re.findall(r"\b(?:playd_\w+|up)(?:\{[^}]*\})?", rule["query"])
        assert looked_at, rule
        for series in looked_at:
            assert await watching.query(series), f"{rule['name']} can never fire: no {series}"
    told = {rule["name"] for rule in rules if rule["state"] != "inactive"}
    assert told == {"PlaydCostUnknown"}


async def no_series_was_dropped(watching: Prometheus) -> None:
    scraped = '{job="playd",alertname=""}'  # not what its rules add
    ever = await watching.query(f"last_over_time({scraped}[10m])")
    present = names(await watching.query(scraped))
    assert [name for name in names(ever) if name not in present] == []
    kept = "scrape_samples_post_metric_relabeling == scrape_samples_scraped"
    assert await watching.query(kept) != []
    assert await watching.samples_refused() == 0


def names(found: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [series["metric"] for series in found]


async def the_counters_match_the_journals(watching: Prometheus, daemon: RealDaemon) -> None:
    lines = [line for journal in daemon.journal_lines().values() for line in journal]
    turns = Counter(line["turn"]["outcome"] for line in lines if line["kind"] == "turn")
    assert turns.total() >= 6
    # From nothing on: the first of anything is no less of a rise than the second.
    assert await watching.number("sum(increase(playd_turns_total[10m]))") >= turns.total()
    for outcome, count in turns.items():
        counted = f'sum(playd_turns_total{{outcome="{outcome}"}})'
        assert await watching.number(counted) == count, outcome
    calls: list[dict[str, Any]] = [
        line for line in lines if line["kind"] == "usage" and line["stage"] == "settled"
    ]
    reported = [call for call in calls if call["reported"]]
    for kind in ("input", "output"):
        tokens = sum(call[kind] for call in reported)
        assert await watching.number(f'sum(playd_tokens_total{{kind="{kind}"}})') == tokens
    reserved = sum(call["charged"] for call in calls if not call["reported"])
    assert await watching.number('sum(playd_tokens_total{kind="reserved"})') == reserved
    cost = sum(call["cost"] or 0 for call in calls)
    assert cost > 0
    unpriced = sum(call["cost"] is None for call in calls)
    assert await watching.number("sum(playd_unpriced_calls_total)") == unpriced > 0
    assert await watching.number("sum(playd_cost_estimated_dollars_total)") == pytest.approx(cost)
    ended = await watching.number('sum(playd_sessions_ended_total{outcome="stopped"})')
    assert ended == 2
