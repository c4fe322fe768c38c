"""A real session process with the toy body, held by a test as its supervisor would hold it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import trio

from kernel.session import wire
from kernel.session.specification import BudgetCeiling, ModelChoice, Sitting, Specification

_REAL = "from kernel.session.__main__ import main; main()"
_TOY = """
import kernel.bodies, {body}
kernel.bodies.register({body}.KIND)
from kernel.session.__main__ import main
main()
"""


def specification(directory: Path, base_url: str, **changes: Any) -> Specification:
    given: dict[str, Any] = {
        "session_id": "run-1",
        "seat": "toy",
        "generation": 1,
        "sitting": Sitting(id="sitting-1", began_at="2026-01-01T00:00:00.000Z"),
        "parent": os.getpid(),
        "state_directory": str(directory),
        "body": "toy",
        "mind": ModelChoice(
            name="toy", provider="openai", model="toy-1", base_url=base_url, stall=5, deadline=30
        ),
        "budget": BudgetCeiling(max_turns=3),
    }
    return Specification(**(given | changes))


@dataclass
class Child:
    process: trio.Process
    heard: list[Any] = field(default_factory=list)
    errors: bytearray = field(default_factory=bytearray)
    _arrived: trio.Event = field(default_factory=trio.Event)
    _done: bool = False

    async def tell(self, message: wire.ToSession) -> None:
        assert self.process.stdin is not None
        await self.process.stdin.send_all(wire.encode_line(message))

    async def until(self, kind: type, nth: int = 1, **fields: Any) -> Any:
        """Wait for the nth message of this kind with these values in its fields."""
        while True:
            found = [
                message
                for message in self.heard
                if isinstance(message, kind)
                and all(getattr(message, name) == value for name, value in fields.items())
            ]
            if len(found) >= nth:
                return found[nth - 1]
            assert not self._done, f"no {kind.__name__}: {self.errors.decode()}"
            await self._arrived.wait()

    async def read(self) -> None:
        assert self.process.stdout is not None
        buffer = b""
        async for chunk in self.process.stdout:
            *lines, buffer = (buffer + chunk).split(b"\n")
            for message in map(wire.from_session_decoder.decode, lines):
                self.heard.append(message)
                if isinstance(message, wire.Notable):
                    with suppress(trio.BrokenResourceError):
                        await self.tell(wire.Acknowledge(id=message.id))
            self._ring()
        self._done = True
        self._ring()

    async def read_errors(self) -> None:
        assert self.process.stderr is not None
        async for chunk in self.process.stderr:
            self.errors += chunk

    def _ring(self) -> None:
        self._arrived.set()
        self._arrived = trio.Event()


@asynccontextmanager
async def child(
    start: Specification | bytes | None, *, toy: bool = True, body: str = "toy_body"
) -> AsyncGenerator[Child]:
    """Runs until it exits by itself; killed when the test leaves earlier.

    A toy's body is the module of this folder with that name.
    """
    process = await trio.lowlevel.open_process(
        [sys.executable, "-c", _TOY.format(body=body) if toy else _REAL],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
    )
    held = Child(process)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(held.read)
        nursery.start_soon(held.read_errors)
        if isinstance(start, Specification):
            await held.tell(wire.Start(specification=start))
        elif start is not None:
            assert process.stdin is not None
            with suppress(trio.BrokenResourceError):
                await process.stdin.send_all(start)
        try:
            yield held
        finally:
            process.kill()
            with trio.CancelScope(shield=True):
                await process.wait()
            nursery.cancel_scope.cancel()


def summary_of(directory: Path) -> dict[str, Any]:
    """The summary of the one run in this state directory, which only its seal may follow."""
    *_, summary, seal = lines_of(directory)
    assert (summary["kind"], seal["kind"]) == ("summary", "evidence_window")
    return summary


def lines_of(directory: Path) -> list[dict[str, Any]]:
    (path,) = (directory / "journals").glob("*.jsonl")
    return [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
