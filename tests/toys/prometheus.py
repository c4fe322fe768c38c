"""A real Prometheus that scrapes one address, on a loopback port of its own."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import trio

LIMIT = 60.0
SCRAPES_EVERY = 0.5
CONFIGURATION = """
global: {{scrape_interval: {every}ms, scrape_timeout: {every}ms, evaluation_interval: 1s}}
rule_files: ["{rules}"]
scrape_configs:
  - job_name: playd
    static_configs: [{{targets: ["{target}"]}}]
"""


@dataclass
class Prometheus:
    """`query` asks it; times are left to it."""

    client: httpx.AsyncClient

    async def query(self, expression: str) -> list[dict[str, Any]]:
        """The instant vector of an expression now. Raises AssertionError: it is not valid."""
        answer = await self._ask("query", {"query": expression})
        result = answer["result"]
        assert answer["resultType"] in ("vector", "scalar"), expression
        return result if answer["resultType"] == "vector" else [{"metric": {}, "value": result}]

    async def number(self, expression: str) -> float:
        """The one value of an expression; 0 where there is none."""
        found = await self.query(expression)
        assert len(found) < 2, found
        return float(found[0]["value"][1]) if found else 0.0

    async def rules(self) -> list[dict[str, Any]]:
        """Every rule with its health, once each was evaluated."""
        with trio.fail_after(LIMIT):
            while True:
                groups = (await self._ask("rules", {}))["groups"]
                found = [rule for group in groups for rule in group["rules"]]
                if all(rule["health"] != "unknown" for rule in found):
                    return found
                await trio.sleep(SCRAPES_EVERY)

    async def scraped_again(self) -> None:
        """Wait for a scrape that began after this call."""
        now = await self.number("time()")
        with trio.fail_after(LIMIT):
            while await self.number('timestamp(up{job="playd"} == 1)') <= now + 0.1:  # noqa: ASYNC110
                await trio.sleep(SCRAPES_EVERY / 2)

    async def _ask(self, path: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        answer = (await self.client.get(f"/api/v1/{path}", params=dict(parameters))).json()
        assert answer["status"] == "success", (parameters, answer)
        return answer["data"]


@asynccontextmanager
async def prometheus(folder: Path, target: str, rules: Path) -> AsyncGenerator[Prometheus]:
    """Started, and scraping `target`; ended with the block."""
    program = shutil.which("prometheus")
    assert program is not None, "prometheus is missing; it is a package of that name"
    configuration = folder / "prometheus.yml"
    every = int(SCRAPES_EVERY * 1000)
    configuration.write_text(CONFIGURATION.format(every=every, target=target, rules=rules))
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
            yield Prometheus(client)
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()


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
