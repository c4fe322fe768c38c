"""A practice model behind a real socket, and the client that sessions ask it with."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from bodies.practice.model.misbehaviour import parse
from bodies.practice.model.serving import Address, Setting, run_model
from kernel.model.errors import ModelFailure
from kernel.model.request import ModelEndpoint, Prompt, Schema, Secret
from kernel.model.transport import Completion, complete, open_client

Json = dict[str, Any]
Practice = Callable[..., AbstractAsyncContextManager[tuple[trio.Process, list[str]]]]


@dataclass
class Model:
    """A running practice model."""

    address: Address
    scope: trio.CancelScope
    log: trio.lowlevel.FdStream
    _read: bytes = b""

    async def ask(
        self, prompt: Prompt, limit: int = 4_096, **changes: Any
    ) -> Completion | ModelFailure:
        given: Json = {
            "name": "practice",
            "provider": "openai",
            "base_url": str(self.address),
            "model": "practice",
            "api_key": Secret(""),
            "deadline": 20.0,
            "stall": 10.0,
        }
        endpoint = ModelEndpoint(**given | changes)
        async with open_client(endpoint) as client:
            return await complete(client, endpoint, prompt, limit)

    async def entries(self, count: int) -> list[Json]:
        """The next entries of the ledger, once there are so many, in the order of requests."""
        with trio.fail_after(60):
            while self._read.count(b"\n") < count:
                self._read += await self.log.receive_some()
        *lines, self._read = self._read.split(b"\n", count)
        return sorted(map(json.loads, lines), key=lambda entry: entry["index"])


@pytest.fixture
async def open_model(
    nursery: trio.Nursery, tmp_path: Path
) -> AsyncIterator[Callable[..., Awaitable[Model]]]:
    """Opens a practice model with these misdeeds, whose ledger is a pipe; it ends with the test."""

    async def opened(*misdeeds: str, **setting: Any) -> Model:
        log = tmp_path / "ledger"
        os.mkfifo(log)
        reading = trio.lowlevel.FdStream(os.open(log, os.O_RDONLY | os.O_NONBLOCK))
        made = Setting(
            Address("127.0.0.1", 0),
            log=log,
            misdeeds=tuple(parse(spec) for spec in misdeeds),
            **setting,
        )
        scope = trio.CancelScope()
        address = await nursery.start(_run, scope, made)
        models.append(Model(address, scope, reading))
        return models[-1]

    models: list[Model] = []
    yield opened
    for model in models:
        model.scope.cancel()
        await model.log.aclose()


@pytest.fixture
def practice() -> Practice:
    """Runs `playd-practice` with these words; gives the process and its ready line's words."""
    return _practice


@pytest.fixture
def prompt() -> Prompt:
    """A question in a shape that no player knows."""
    shape = {"type": "object", "properties": {"say": {"type": "string"}, "n": {"type": "integer"}}}
    schema = Schema("odd", json.dumps({**shape, "required": ["say", "n"]}).encode())
    return Prompt(system="Rules — in short.", parts=("One.", "Two."), schema=schema)


@asynccontextmanager
async def _practice(*words: str) -> AsyncIterator[tuple[trio.Process, list[str]]]:
    async with trio.open_nursery() as nursery:
        run = partial(
            trio.run_process,
            [sys.executable, "-m", "bodies.practice.main", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            check=False,
        )
        process: trio.Process = await nursery.start(run)
        try:
            line = b""
            while not line.endswith(b"\n"):
                assert process.stdout is not None
                read = await process.stdout.receive_some()
                assert read, "it ended before it was ready"
                line += read
            yield process, line.decode().split()
            process.terminate()
            with trio.fail_after(60):
                await process.wait()
        finally:
            nursery.cancel_scope.cancel()


async def _run(
    scope: trio.CancelScope, setting: Setting, task_status: trio.TaskStatus[Address]
) -> None:
    with scope:
        await run_model(setting, task_status)
