"""What each page of the endpoint says."""

from __future__ import annotations

from daemon.control.peers import Caller
from daemon.metrics.endpoint import Answer, Page
from daemon.metrics.metrics import CONTENT_TYPE, Metrics
from daemon.supervisor import Supervisor


def pages_of(supervisor: Supervisor, metrics: Metrics, ourselves: Caller) -> dict[str, Page]:
    """`/metrics`; `/healthz`: the process is alive; `/readyz`: it accepts joins, else 503."""

    async def exposition() -> Answer:
        return Answer(await metrics.exposition(), content_type=CONTENT_TYPE)

    async def alive() -> Answer:
        return Answer(b"ok\n")

    async def ready() -> Answer:
        health = await supervisor.health(ourselves)
        lines = "".join(
            f"{check.name}: {'ok' if check.ok else check.detail or 'no'}\n"
            for check in health.checks
        )
        return Answer(lines.encode(), 200 if health.ready else 503)

    return {"/metrics": exposition, "/healthz": alive, "/readyz": ready}
