"""Local worlds: installed programs that an operator starts, checks and stops through playd.

A world that answers its check is used as it is, whoever started it, and never started twice. One
that was started here ends with the daemon; what a killed daemon left running carries the mark of
their common state directory, by which a later one finds and ends it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import trio

from config.settings import World
from daemon.children import Children
from daemon.control.wire import WorldResult
from daemon.delays import Delays
from daemon.descendants import Family, family_of, kill, terminate
from daemon.logs import log_of
from daemon.process_table import Process, marks_in, read_process
from daemon.refusal import Refusal
from daemon.spawning import Spawned

CHECK_SECONDS = 10.0
"""For one run of a world's check."""
_BETWEEN_CHECKS = 0.25


class Worlds:
    """The worlds that were started over a state directory, by this daemon or an earlier one."""

    def __init__(
        self, children: Children, delays: Delays, state_directory: Path, nursery: trio.Nursery
    ) -> None:
        self._children = children
        self._delays = delays
        self._logs = state_directory / "worlds"
        self._mark_end = sha256(os.fsencode(state_directory.resolve())).hexdigest()[:16]
        self._nursery = nursery
        self._running: dict[str, LocalWorld] = {}
        self._turns: dict[str, trio.Lock] = {}

    async def check(self, seat: str, name: str, world: World) -> WorldResult:
        """Whether it can be reached; takes no seat."""
        return self._result(seat, name, await self._healthy(world))

    async def start(self, seat: str, name: str, world: World) -> WorldResult:
        """Start it unless it is healthy, and wait until it is. Raises Refusal (`world`)."""
        async with self._turns.setdefault(name, trio.Lock()):
            if await self._healthy(world):
                return self._result(seat, name, True)
            if (running := self._running.get(name)) is None:
                await self._end_left_behind(self._mark(name))
                running = await self._launch(name, world)
            with trio.move_on_after(world.ready_timeout):
                while not running.over.is_set():
                    if await self._healthy(world):
                        return self._result(seat, name, True, started=True)
                    # The check is a command: there is no event to wait for but the world's end.
                    with trio.move_on_after(_BETWEEN_CHECKS):
                        await running.over.wait()
            why = running.status or f"its check did not pass in {world.ready_timeout:g} s"
            await self._end(running)
            raise Refusal("world", f"world {name} did not start: {why}", f"See {running.log}.")

    async def stop(self, seat: str, name: str) -> WorldResult:
        """End it. Raises Refusal (`world`) when no daemon over this state directory started it."""
        async with self._turns.setdefault(name, trio.Lock()):
            running = self._running.get(name)
            if running is not None:
                await self._end(running)
            elif not await self._end_left_behind(self._mark(name)):
                raise Refusal(
                    "world",
                    f"this daemon runs no world {name}",
                    "One that was started elsewhere is stopped there.",
                )
            return WorldResult(seat=seat, world=name, state="stopped", log=str(self._log(name)))

    def end_all(self) -> None:
        """End every world that was started here or left behind, with the usual grace."""
        self._nursery.start_soon(self._end_all)

    async def _end_all(self) -> None:
        running = tuple(self._running.values())
        for world in running:
            world.end()
        for world in running:
            await world.over.wait()  # bounded as in `_end`
        await self._end_left_behind(self._mark_end)

    async def _end_left_behind(self, mark_end: str) -> bool:
        """End what an earlier daemon left of the worlds whose mark ends so; False: nothing."""

        async def left() -> list[Process]:
            table = await self._children.census.take()
            roots = {pid for pid, mark in marks_in(table).items() if mark.endswith(mark_end)}
            families = (family_of(table, root, ()) for root in roots)
            return [table[pid] for pid in roots.union(*families) if not table[pid].dead]

        if not (found := await left()):
            return False
        pids = sorted(process.pid for process in found)
        log_of(__name__).warning(
            "ends a world that an earlier daemon left: pids %s", pids, event="world_left_behind"
        )
        with trio.move_on_after(self._delays.term_grace):
            await terminate(left)
        await kill(left)
        return True

    def _mark(self, name: str) -> str:
        return f"world-{name}-{self._mark_end}"

    def _log(self, name: str) -> Path:
        return self._logs / f"{name}.log"

    async def _launch(self, name: str, world: World) -> LocalWorld:
        self._logs.mkdir(mode=0o700, exist_ok=True)
        mark, log = self._mark(name), self._log(name)
        try:
            running = await LocalWorld.start(
                self._children, self._delays, name, mark, world.start, log
            )
        except OSError as error:
            reason = error.strerror or str(error)
            raise Refusal("world", f"world {name} cannot be started: {reason}") from error
        self._running[name] = running
        self._nursery.start_soon(self._watch, name, running)
        return running

    async def _watch(self, name: str, running: LocalWorld) -> None:
        await running.run()
        del self._running[name]

    async def _end(self, running: LocalWorld) -> None:
        running.end()
        # Bounded by the grace of its end and the kernel's time to kill.
        await running.over.wait()

    async def _healthy(self, world: World) -> bool:
        nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        try:
            checking = await self._children.start(world.check, "world-check", output=nowhere)
        except OSError:
            return False
        finally:
            os.close(nowhere)
        try:
            with trio.move_on_after(CHECK_SECONDS):
                await trio.lowlevel.wait_readable(checking.pidfd)
        finally:
            with trio.CancelScope(shield=True):
                await kill(lambda: _alone(checking))
            status = self._children.reap(checking)
        return status is not None and status.clean

    def _result(self, seat: str, name: str, healthy: bool, *, started: bool = False) -> WorldResult:
        running = self._running.get(name)
        return WorldResult(
            seat=seat,
            world=name,
            state="healthy" if healthy else "unreachable",
            started=started,
            pid=None if running is None else running.pid,
            log=None if running is None else str(running.log),
        )


class LocalWorld:
    """One started world; `run` waits until everything of it is gone."""

    def __init__(
        self,
        children: Children,
        delays: Delays,
        name: str,
        mark: str,
        spawned: Spawned,
        log: Path,
    ) -> None:
        self.log = log
        self.over = trio.Event()
        self.status = ""
        """How it ended, once it has."""
        self._children = children
        self._delays = delays
        self._spawned = spawned
        self._end_asked = trio.Event()
        self._family = Family(children.census, mark, spawned.identity.pid)
        self._events = log_of(__name__)
        self._name = name

    @classmethod
    async def start(
        cls,
        children: Children,
        delays: Delays,
        name: str,
        mark: str,
        command: Sequence[str],
        log: Path,
    ) -> LocalWorld:
        """Start its command, marked; what it prints goes to the end of `log`. Raises OSError."""
        file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            spawned = await children.start(command, mark, output=file)
        finally:
            os.close(file)
        return cls(children, delays, name, mark, spawned, log)

    @property
    def pid(self) -> int:
        """Of its own process."""
        return self._spawned.identity.pid

    def end(self) -> None:
        """SIGTERM to everything of it, SIGKILL after the grace."""
        self._end_asked.set()

    async def run(self) -> None:
        """Wait for its end. Nothing cancels this; `end` ends it."""
        self._events.info("world %s started, pid %d", self._name, self.pid, event="world_started")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._end_when_asked)
            await trio.lowlevel.wait_readable(self._spawned.pidfd)
            nursery.cancel_scope.cancel()
        with trio.move_on_after(self._delays.leftover_grace):
            await terminate(self._family.living)
        await kill(self._family.living)
        self.status = str(self._children.reap(self._spawned))
        self._events.info("world %s ended: %s", self._name, self.status, event="world_ended")
        self.over.set()

    async def _end_when_asked(self) -> None:
        await self._end_asked.wait()
        with trio.move_on_after(self._delays.term_grace):
            await terminate(self._everyone)
        await kill(self._everyone)

    async def _everyone(self) -> list[Process]:
        return [*await _alone(self._spawned), *await self._family.living()]


async def _alone(spawned: Spawned) -> list[Process]:
    process = read_process(spawned.identity.pid)
    return [] if process is None or process.dead else [process]
