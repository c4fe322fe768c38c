"""A real session process that plays Minecraft through a motor of ours, and what is left of it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import scripted_motor
from session_child import lines_of, specification

from daemon.playctl.journal_files import reading_of
from kernel.journal.verify import verify
from kernel.session.specification import BudgetCeiling, Specification

PROFILE = {"id": "garden", "host": "127.0.0.1", "port": 25565, "version": "1.20.1",
           "username": "Alex", "auth": "offline"}  # fmt: skip
GREET = {"monologue": "Somebody is here.", "intent": "greet", "action": "chat", "text": "hello"}


class Garden:
    """One seat in a directory of its own. `asked` is what reached the practice motor."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._log = directory / "motor.jsonl"

    def practice_motor(self, *misdeeds: str, speed: int = 20) -> list[str]:
        """The practice motor's command, so many times as fast as life."""
        program = str(Path(sys.executable).parent / "playd-practice")
        wrong = [part for misdeed in misdeeds for part in ("--misbehave", misdeed)]
        return [program, "motor", "--speed", str(speed), "--journal", str(self._log), *wrong]

    def scripted_motor(self, script: dict[str, Any]) -> list[str]:
        """A motor that does as its script says."""
        return [sys.executable, "-S", "-E", str(scripted_motor.__file__), json.dumps(script)]

    def start(
        self, motor: list[str], base_url: str, turns: int = 1, **changes: Any
    ) -> Specification:
        """A session of so many turns."""
        options = msgspec.Raw(msgspec.json.encode({"motor": motor, "profile": PROFILE}))
        given = {"budget": BudgetCeiling(tokens=None, max_turns=turns)} | changes
        return specification(self.directory, base_url, body="minecraft", options=options, **given)

    def asked(self, tool: str) -> list[dict[str, Any]]:
        """The calls of this tool, as the practice motor journaled them."""
        lines = [msgspec.json.decode(line) for line in self._log.read_bytes().splitlines()]
        return [line for line in lines if line["kind"] == "called" and line["tool"] == tool]

    def lines(self, kind: str) -> list[dict[str, Any]]:
        """The lines of this kind in the only journal."""
        return [line for line in lines_of(self.directory) if line["kind"] == kind]

    @property
    def journal(self) -> Path:
        (path,) = (self.directory / "journals").glob("*.jsonl")
        return path

    @property
    def problems(self) -> list[str]:
        """What is wrong with the journal, as `playctl journal verify` tells it."""
        return [finding.problem for finding in verify(self.journal, reading_of)]

    @property
    def left_over(self) -> list[str]:
        """Living processes that were started for this directory."""
        return living(os.fsencode(self.directory), "cmdline")


def living(mark: bytes, where: str) -> list[str]:
    """Living processes with this mark in their `cmdline` or `environ`, ours aside."""
    found: list[str] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal() or int(entry.name) == os.getpid():
            continue
        try:
            command = (entry / "cmdline").read_bytes()
            marked = mark in (entry / where).read_bytes()
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if marked and state != "Z":
            found.append(command.replace(b"\0", b" ").decode())
    return found


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    return Garden(tmp_path)


@pytest.fixture
def of_session() -> Callable[[str], list[str]]:
    """Living processes of a session, wherever they hid: its id is in their environment."""
    return lambda session_id: living(f"PLAYD_SESSION={session_id}".encode(), "environ")
