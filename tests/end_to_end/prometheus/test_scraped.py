"""A real Prometheus scrapes a daemon whose sessions play."""

import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from practice import practice_model, practice_world
from prometheus import Prometheus, prometheus
from real_daemon import RealDaemon, at_once, configure, real_daemon

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
[rooms.quiet]
kind = "log"
"""


@pytest.mark.long
async def test_what_it_sees_of_a_minute_of_play(tmp_path: Path) -> None:
    async with (
        practice_world(tmp_path) as world,
        practice_model("--latency", "0.05") as model,
    ):
        configuration = configure(tmp_path, world.address, model, "red", "blue", more=MORE)
        priced = configuration.read_text().replace("local = true", "")
        configuration.write_text(priced)
        async with real_daemon(configuration) as daemon:
            async with prometheus(tmp_path, metrics_address(daemon), ALERTS) as watching:
                await at_once(*(lambda seat=seat: daemon.join(seat) for seat in ("red", "blue")))
                await trio.sleep(60)
                await watching.scraped_again()
                await every_panel_has_an_answer(watching)
                await every_alert_is_evaluated_and_none_fires(watching)
                await at_once(*(lambda seat=seat: daemon.stop(seat) for seat in ("red", "blue")))
                await watching.scraped_again()
                await no_series_was_dropped(watching)
                await the_counters_match_the_journals(watching, daemon)


def test_the_rules_do_what_they_should(tmp_path: Path) -> None:
    tested = subprocess.run(
        ["promtool", "test", "rules", str(ALERTS.with_suffix(".test.yml"))],
        capture_output=True,
        text=True,
        check=False,
    )

    assert tested.returncode == 0, tested.stdout + tested.stderr


def test_every_rule_has_a_case_that_fires_it() -> None:
    rules = set(re.findall(r"- alert: (\w+)", ALERTS.read_text()))
    cases = ALERTS.with_suffix(".test.yml").read_text()
    fired = set(re.findall(r"alertname: (\w+)\n +exp_alerts:\n", cases))

    assert fired == rules
    assert len(rules) > 10


def metrics_address(daemon: RealDaemon) -> str:
    found = re.search(r"metrics are at http://([0-9.:]+)/metrics", daemon.log.read_text())
    assert found is not None
    return found[1]


def panel_queries() -> list[str]:
    dashboard = msgspec.json.decode(DASHBOARD.read_bytes())
    expressions = [
        target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ())
    ]
    variables = {"$instance": ".*", "$seat": ".*", "$__rate_interval": "10s"}
    for name, value in variables.items():
        expressions = [expression.replace(name, value) for expression in expressions]
    assert len(expressions) > 30
    return expressions


async def every_panel_has_an_answer(watching: Prometheus) -> None:
    for expression in panel_queries():
        found = await watching.query(expression)
        for _ in range(20):  # a rate needs two samples, and its series may be younger than that
            if found or "== 1" in expression:
                break
            await watching.scraped_again()
            found = await watching.query(expression)
        assert found or "== 1" in expression, f"no data: {expression}"


async def every_alert_is_evaluated_and_none_fires(watching: Prometheus) -> None:
    for rule in await watching.rules():
        assert rule["health"] == "ok", rule
        assert rule["state"] == "inactive", rule
        await watching.query(rule["query"])


async def no_series_was_dropped(watching: Prometheus) -> None:
    ever = await watching.query('last_over_time({job="playd"}[10m])')
    now = await watching.query('{job="playd"}')
    present = names(now)
    assert [name for name in names(ever) if name not in present] == []
    assert await watching.number('min_over_time(up{job="playd"}[10m])') == 1
    kept = "scrape_samples_post_metric_relabeling == scrape_samples_scraped"
    assert await watching.query(kept) != []


def names(found: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [series["metric"] for series in found]


async def the_counters_match_the_journals(watching: Prometheus, daemon: RealDaemon) -> None:
    lines = [line for journal in daemon.journal_lines().values() for line in journal]
    turns = Counter(line["turn"]["outcome"] for line in lines if line["kind"] == "turn")
    assert turns.total() > 3
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
    cost = sum(call["cost"] for call in calls)
    assert cost > 0
    assert await watching.number("sum(playd_cost_estimated_dollars_total)") == pytest.approx(cost)
    ended = await watching.number('sum(playd_sessions_ended_total{outcome="stopped"})')
    assert ended == 2
