"""Which sessions had living processes, looked at again and again while a run goes on.

A session's processes carry its mark in their environment, and those of this run the run's own.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import trio

from daemon.process_table import MARK, Identity, read_processes

RUN_MARK = "PLAYD_FAULT_RUN"
_EVERY = 0.25


class Seen(msgspec.Struct, frozen=True):
    """Sessions with a living process at one moment, seconds since 1970."""

    at: float
    sessions: tuple[str, ...]


@dataclass
class Census:
    """Looks at processes that carry this run's mark."""

    run: str
    seen: list[Seen] = field(default_factory=list[Seen])
    _marks: dict[Identity, str] = field(default_factory=dict[Identity, str])

    async def look_again_and_again(self) -> None:
        """Until cancelled."""
        while True:
            self.seen.append(Seen(time.time(), tuple(sorted(set(self.alive().values())))))
            await trio.sleep(_EVERY)

    def alive(self) -> dict[int, str]:
        """Session ids by the pids that live now."""
        found: dict[int, str] = {}
        marks: dict[Identity, str] = {}
        for process in read_processes().values():
            if process.dead:
                continue
            # Only a mark is remembered: a process has none before its program is loaded.
            mark = self._marks.get(process.identity) or self._mark_of(process.pid)
            if mark is not None:
                found[process.pid] = marks[process.identity] = mark
        self._marks = marks
        return found

    def _mark_of(self, pid: int) -> str | None:
        try:
            entries = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            return None
        if f"{RUN_MARK}={self.run}".encode() not in entries:
            return None
        wanted = f"{MARK}=".encode()
        return next((e[len(wanted) :].decode() for e in entries if e.startswith(wanted)), None)
