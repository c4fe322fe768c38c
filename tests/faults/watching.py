"""A subscriber that keeps what `watch` told: turns by session, and how many events were lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import trio
from real_daemon import RealDaemon


@dataclass
class Watching:
    """What was told so far; it may follow one daemon after another."""

    turns: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    """By session."""
    by_seat: dict[str, int] = field(default_factory=dict[str, int])
    lost: int = 0
    unacknowledged: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Room and delivery id of what was said."""
    _happened: trio.Event = field(default_factory=trio.Event)

    async def follow(
        self,
        daemon: RealDaemon,
        room: str | None = None,
        *,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Follow every seat, or what a room is told, until this daemon is gone."""
        async with daemon.line() as line:
            await line.send({"id": 0, "verb": "watch", "params": {"room": room} if room else {}})
            while (told := await line.receive()) is not None and "event" in told:
                if told["event"]["kind"] == "watching":
                    task_status.started()
                if room is None:
                    self._take(told["event"])
                elif told["event"]["kind"] == "speech":
                    self.unacknowledged.append((room, told["event"]["deliveryId"]))

    async def until_turns(self, seat: str, total: int) -> None:
        """Wait until so many turns of a seat were told, with no bound of its own."""
        while self.by_seat.get(seat, 0) < total:
            await self._happened.wait()

    def keep(self, file: Path) -> None:
        """Write down how many turns of each session were told."""
        told = {session: sorted(turns) for session, turns in self.turns.items()}
        file.write_bytes(msgspec.json.encode({"turns": told, "lost": self.lost}))

    def _take(self, event: dict[str, Any]) -> None:
        match event["kind"]:
            case "turn":
                seat = event["seat"]
                self.turns.setdefault(event["sessionId"], set()).add(event["card"]["turn"])
                self.by_seat[seat] = self.by_seat.get(seat, 0) + 1
            case "lost":
                self.lost += event["count"]
        happened, self._happened = self._happened, trio.Event()
        happened.set()
