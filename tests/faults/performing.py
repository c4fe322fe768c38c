"""Makes the faults of a plan happen: to the daemon, its sessions, its wires and its disk."""

from __future__ import annotations

import math
import os
import random
import signal
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import plan
import trio
from census import Census
from lives import Lives
from operating import Operator
from real_daemon import Line
from seats import Seats
from small_disk import filled
from wires import Wire

_CROWD = 120
"""Connections at once: more than the daemon takes."""
_GARBLED_SECONDS = 3.0


@dataclass
class Performer:
    """Performs faults; what they need to be over is waited for by `heal`."""

    lives: Lives
    operator: Operator
    seats: Seats
    census: Census
    disk: Path | None
    chance: random.Random
    _one_at_a_time: trio.Lock = field(default_factory=trio.Lock)
    """Who fills the disk."""

    async def perform_all(self, planned: tuple[plan.Planned, ...], seconds: float) -> None:
        """Each at its moment; what is not over after so long is ended."""
        began = trio.current_time()
        with trio.move_on_after(seconds):
            async with trio.open_nursery() as nursery:
                for one in planned:
                    await trio.sleep_until(began + one.at)
                    self.lives.story.tell("a fault", fault=msgspec.to_builtins(one.fault))
                    nursery.start_soon(self.perform, one.fault)
                await trio.sleep_forever()

    def heal(self) -> None:
        """Undo what was done to wires and processes."""
        for wired in self.seats.wired.values():
            wired.world.flow()
            wired.model.flow()
        for pid in self.census.alive():
            _signal(pid, signal.SIGCONT)
        self._signal_daemon(signal.SIGCONT)

    async def perform(self, fault: plan.Fault) -> None:
        """One fault, until it is over."""
        match fault:
            case plan.KillSession(seat):
                _signal(await self._pid(seat), signal.SIGKILL)
            case plan.HangSession(seat, seconds):
                pid = await self._pid(seat)
                _signal(pid, signal.SIGSTOP)
                await trio.sleep(seconds)
                _signal(pid, signal.SIGCONT)
            case plan.KillDaemon(seconds):
                self.lives.pause = seconds
                self._signal_daemon(signal.SIGKILL)
            case plan.Drain():
                self._signal_daemon(signal.SIGTERM)
            case plan.HangDaemon(seconds):
                self._signal_daemon(signal.SIGSTOP)
                await trio.sleep(seconds)
                self._signal_daemon(signal.SIGCONT)
            case plan.StopSeat(seat, now, seconds):
                await self.operator.stop(seat, now=now, seconds=seconds)
            case plan.Flood(seat, messages):
                await self._flood(seat, messages)
            case plan.Garble(how):
                with trio.move_on_after(_GARBLED_SECONDS), suppress(*_GONE):
                    await self._garble(how)
            case plan.FillDisk(seconds) if self.disk is not None:
                async with self._one_at_a_time:
                    self.lives.story.tell("the disk is full")
                    try:
                        with filled(self.disk):
                            await trio.sleep(seconds)
                    finally:
                        self.lives.story.tell("the disk has space again")
            case _:
                await self._disturb_wire(fault)

    async def _disturb_wire(self, fault: plan.Fault) -> None:
        match fault:
            case plan.CutWire(seat, side, after_bytes):
                self._wire(seat, side).cut(after_bytes)
            case plan.HalfCloseWire(seat, side):
                self._wire(seat, side).half_close()
            case plan.StallWire(seat, side, seconds):
                self._wire(seat, side).stall()
                await trio.sleep(seconds)
                self._wire(seat, side).flow()
            case plan.SlowWire(seat, side, late, seconds):
                self._wire(seat, side).late = late
                await trio.sleep(seconds)
                self._wire(seat, side).flow()
            case plan.CloseWire(seat, side, seconds):
                self._wire(seat, side).closed = True
                self._wire(seat, side).cut()
                await trio.sleep(seconds)
                self._wire(seat, side).flow()
            case _:
                raise AssertionError(fault)

    async def _flood(self, seat: str, messages: int) -> None:
        if self.lives.daemon is None:
            return
        with suppress(*_GONE):
            async with self.lives.daemon.line() as line, trio.open_nursery() as nursery:
                nursery.start_soon(_say, line, seat, messages)
                await _until_hung_up(line, answers=messages)
                nursery.cancel_scope.cancel()

    async def _garble(self, how: plan.Garbling) -> None:
        if self.lives.daemon is None:
            return
        async with AsyncExitStack() as stack:
            line = await stack.enter_async_context(self.lives.daemon.line())
            match how:
                case "noise":
                    await line.send(self.chance.randbytes(4096))
                case "no newline":
                    await line.send(b"x" * 200_000)
                case "half a line":
                    await line.send(b'{"id": 1, "verb": "sta')
                    return
                case "nonsense":
                    for verb in ("fly", "join", "stop"):
                        await line.send({"id": 1, "verb": verb, "params": {"seat": "nobody's"}})
                case "deaf":
                    for number in range(8):
                        await line.send({"id": number, "verb": "watch"})
                    await trio.sleep_forever()
                case "crowd":
                    for _ in range(_CROWD):
                        await stack.enter_async_context(self.lives.daemon.line())
            await _until_hung_up(line)

    async def _pid(self, seat: str) -> int | None:
        status = await self.lives.ask("status", seat=seat)
        session: dict[str, Any] | None = None
        if not isinstance(status, str):
            session = status["seats"][0]["session"]
        pid = None if session is None else session["pid"]
        # A number that another process may have by now is not signalled.
        return pid if pid in self.census.alive() else None

    def _wire(self, seat: str, side: plan.Side) -> Wire:
        wired = self.seats.wired[seat]
        return wired.world if side == "world" else wired.model

    def _signal_daemon(self, number: signal.Signals) -> None:
        if self.lives.daemon is not None:
            self.lives.daemon.process.send_signal(number)


async def _say(line: Line, seat: str, messages: int) -> None:
    with suppress(*_GONE):
        for number in range(messages):
            text = f"{number}: " + "do you see the door? " * (1 + number % 5)
            said = {"seat": seat, "text": text, "room": "porch"}
            await line.send({"id": number, "verb": "say", "params": said})


async def _until_hung_up(line: Line, answers: float = math.inf) -> None:
    while answers > 0 and await line.receive() is not None:
        answers -= 1


def _signal(pid: int | None, number: signal.Signals) -> None:
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


_GONE = (OSError, trio.BrokenResourceError, trio.ClosedResourceError)
