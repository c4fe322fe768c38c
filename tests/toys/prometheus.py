"""A real Prometheus that scrapes one address, on a loopback port of its own."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import msgspec
import trio

LIMIT = 60.0
SCRAPES_EVERY = 1.0
CONFIGURATION = """
global: {{scrape_interval: {every}s, scrape_timeout: {every}s, evaluation_interval: {every}s}}
rule_files: ["{rules}"]
scrape_configs:
  - job_name: playd
    file_sd_configs: [{{files: ["{targets}"]}}]
"""


@dataclass
class Prometheus:
    """Asked about the moment of the scrape that was last waited for.

    A later one may have failed on a busy machine, and then its series would be gone.
    """

    client: httpx.AsyncClient
    targets: Path
    moment: float | None = None

    def scrape(self, address: str) -> None:
        """Scrape this address from now on; it looks for new ones every five seconds of its life."""
        new = self.targets.with_suffix(".new")
        new.write_bytes(msgspec.json.encode([{"targets": [address]}]))
        new.rename(self.targets)

    async def query(self, expression: str) -> list[dict[str, Any]]:
        """The instant vector of an expression. Raises AssertionError: it is not valid."""
        at = {} if self.moment is None else {"time": str(self.moment)}
        answer = await self._ask("query", {"query": expression, **at})
        result = answer["result"]
        assert answer["resultType"] in ("vector", "scalar"), expression
        return result if answer["resultType"] == "vector" else [{"metric": {}, "value": result}]

    async def number(self, expression: str) -> float:
        """The one value of an expression; 0 where there is none."""
        found = await self.query(expression)
        assert len(found) < 2, found
        return float(found[0]["value"][1]) if found else 0.0

    async def rules(self) -> list[dict[str, Any]]:
        """Every rule with its health and state, evaluated after that moment.

        A rule looks at the moment at which it was due, up to a round before it was evaluated.
        """
        evaluated = (self.moment or 0) + SCRAPES_EVERY
        with trio.fail_after(LIMIT):
            while True:
                groups = (await self._ask("rules", {}))["groups"]
                found = [rule for group in groups for rule in group["rules"]]
                if all(_seconds(rule["lastEvaluation"]) > evaluated for rule in found):
                    return found
                await trio.sleep(SCRAPES_EVERY / 4)

    async def samples_refused(self) -> float:
        """Samples that were scraped and not taken: twice the same, out of order, too many."""
        told = (await self.client.get("/metrics")).text.splitlines()
        counts = [line for line in told if line.startswith("prometheus_target_scrape")]
        refusals = [
            line for line in counts if re.match(r"\S+_(sample_\w+|exceeded_\w+)_total ", line)
        ]
        assert len(refusals) > 3, counts
        return sum(float(line.split()[1]) for line in refusals)

    async def scraped_again(self) -> None:
        """Wait for a scrape that began after this call, and succeeded."""
        self.moment = None
        now = await self.number("time()")
        # timestamp() of a plain selector alone is the sample's; of an expression, the query's.
        scraped = 'timestamp(up{job="playd"}) and up{job="playd"} == 1'
        with trio.fail_after(LIMIT):
            while (moment := await self.number(scraped)) <= now + 0.1:  # noqa: ASYNC110
                await trio.sleep(SCRAPES_EVERY / 4)
        self.moment = moment

    async def _ask(self, path: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        answer = (await self.client.get(f"/api/v1/{path}", params=dict(parameters))).json()
        assert answer["status"] == "success", (parameters, answer)
        return answer["data"]


@asynccontextmanager
async def prometheus(folder: Path, rules: Path) -> AsyncGenerator[Prometheus]:
    """Started; ended with the block."""
    program = shutil.which("prometheus")
    assert program is not None, "prometheus is missing; it is a package of that name"
    configuration = folder / "prometheus.yml"
    every = int(SCRAPES_EVERY)
    targets = folder / "targets.json"
    configuration.write_text(CONFIGURATION.format(every=every, targets=targets, rules=rules))
    address = f"127.0.0.1:{_free_port()}"
    with (folder / "prometheus.log").open("wb") as log:
        process = await trio.lowlevel.open_process(
            [
                program,
                f"--config.file={configuration}",
                f"--storage.tsdb.path={folder / 'prometheus'}",
                f"--web.listen-address={address}",
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        async with httpx.AsyncClient(base_url=f"http://{address}") as client:
            await _until_ready(client, process, folder / "prometheus.log")
            yield Prometheus(client, targets)
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()


def _seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()


def _free_port() -> int:
    # It does not tell which port it got for 0.
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


async def _until_ready(client: httpx.AsyncClient, process: trio.Process, log: Path) -> None:
    with trio.fail_after(LIMIT):
        while process.poll() is None:
            try:
                if (await client.get("/-/ready")).status_code == 200:
                    return
            except httpx.ConnectError:
                pass
            await trio.sleep(0.05)
    raise AssertionError(log.read_text())
