"""One session process from outside: its pipes, its exit, and the end of everything it started.

From spawn to reap both of its pipes are drained, whatever state it is in, and nothing here waits
for it to read. Its exit is known by waiting for it: the end of a pipe is no exit, and a
grandchild may hold a pipe open after the exit. The dead process is kept as a zombie until its
family is gone, so that its number cannot be given to a stranger in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import trio

from daemon.cgroups import Cgroup
from daemon.children import Children, Status
from daemon.conduct import Conduct, Fault
from daemon.delays import Delays
from daemon.descendants import SETTLE_SECONDS, Family, kill, terminate
from daemon.framing import Line, LineSplitter
from daemon.logs import FieldLog
from daemon.outbox import Outbox
from daemon.process_table import Identity, Process, read_process
from daemon.pulse import Pulse
from daemon.spawning import Spawned
from kernel.session.wire import LINE_CAP, FromSession, Running, ToSession

LOG_LINE_CAP = 8 * 1024
Cause: TypeAlias = Literal[
    "hung", "protocol_error", "stop_deadline", "stop_now", "lease_lapsed", "shutdown", "lingered"
]
"""`lingered`: it claimed its end and did not exit."""


@dataclass(frozen=True, slots=True)
class Exit:
    """How a session process ended."""

    status: Status | None
    """None: not even SIGKILL ended it in time."""
    cause: Cause | None
    """Why the supervisor ended it; None: it ended by itself."""
    survivors: tuple[int, ...] = ()
    """Pids of its family that could not be ended."""
    out_of_memory: bool = False
    """The kernel killed in its control group for want of memory."""


class Listener(Protocol):
    """Hears what the session process says; returns at once."""

    def message(self, message: FromSession) -> None:
        """A message, in order."""
        ...

    def fault(self, reason: str) -> None:
        """A line that the protocol does not allow."""
        ...


class SessionProcess:
    """A started session process. `run` must be called, and waits until everything of it is gone."""

    def __init__(
        self,
        children: Children,
        spawned: Spawned,
        session_id: str,
        mode: Literal["play", "recover"],
        delays: Delays,
        log: FieldLog,
        cgroup: Cgroup | None,
    ) -> None:
        assert spawned.stdin is not None
        assert spawned.stdout is not None
        assert spawned.stderr is not None
        self.identity: Identity = spawned.identity
        self.family = Family(children.census, session_id, spawned.identity.pid, cgroup)
        self.pulse = Pulse()
        """Of the task that reads its messages."""
        self._cgroup = cgroup
        self._children = children
        self._spawned = spawned
        self._stdin = trio.lowlevel.FdStream(spawned.stdin)
        self._stdout = trio.lowlevel.FdStream(spawned.stdout)
        self._stderr = trio.lowlevel.FdStream(spawned.stderr)
        self._conduct = Conduct(mode)
        self._delays = delays
        self._log = log
        self._outbox = Outbox()
        self._heard_at = trio.current_time()
        self._cause: Cause | None = None
        self._over = trio.Event()
        self._end_asked = trio.Event()
        self._grace = trio.CancelScope()

    @classmethod
    async def start(
        cls,
        children: Children,
        command: Sequence[str],
        *,
        session_id: str,
        mode: Literal["play", "recover"] = "play",
        delays: Delays,
        log: FieldLog,
        cgroup: Cgroup | None = None,
    ) -> SessionProcess:
        """Spawn it, in its control group if there is one; nothing is sent yet. Raises OSError."""
        spawned = await children.start(command, session_id)
        process = cls(children, spawned, session_id, mode, delays, log, cgroup)
        if cgroup is not None:
            try:
                cgroup.add(spawned.identity.pid)
            except OSError as error:
                log.warning("is not in its control group: %s", error.strerror)
        return process

    def send(self, message: ToSession) -> bool:
        """Queue a message; never waits. False: the process does not read, and it is not queued.

        Which messages that may happen to while it lives, `daemon.outbox` says.
        """
        if self._outbox.put(message):
            return True
        self._log.warning("does not read its messages; a %s is not queued", type(message).__name__)
        return False

    def end(self, cause: Cause, grace: float) -> None:
        """SIGTERM to everything of it, SIGKILL after `grace` seconds; 0 kills at once.

        The first cause stands; a later call can only shorten the grace.
        """
        self._cause = self._cause or cause
        self._grace.deadline = min(self._grace.deadline, trio.current_time() + grace)
        self._end_asked.set()

    async def run(self, listener: Listener) -> Exit:
        """Pump its pipes until it has exited and its family is gone.

        Meant to run where nothing cancels it, since `end` is the way to end it and is bounded;
        cancelled nevertheless, it kills everything first.
        """
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write)
                nursery.start_soon(self._watch_silence)
                nursery.start_soon(self._end_when_asked)
                nursery.start_soon(self._watch_farewell)
                drained = trio.Event()
                nursery.start_soon(self._read, listener, drained)
                await trio.lowlevel.wait_readable(self._spawned.pidfd)
                survivors = await self._end_family()
                with trio.move_on_after(self._delays.drain):
                    await drained.wait()
                nursery.cancel_scope.cancel()
        except BaseException:
            with trio.CancelScope(shield=True):
                await self._kill_everyone()
                await self._close()
            raise
        starved = self._cgroup is not None and self._cgroup.ran_out_of_memory()
        return Exit(await self._close(), self._cause, survivors, starved)

    async def _read(self, listener: Listener, drained: trio.Event) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._read_messages, listener)
            nursery.start_soon(self._read_log)
        drained.set()

    async def _read_messages(self, listener: Listener) -> None:
        splitter = LineSplitter(LINE_CAP)
        condemned = False
        async for chunk in self._stdout:
            if condemned:
                continue
            with self.pulse.at_work():
                for line in splitter.feed(chunk):
                    try:
                        await self._read_line(line, listener)
                    except Fault as fault:
                        self._log.warning("protocol: %s: %r", fault.reason, line.data[:120])
                        listener.fault(fault.reason)
                        if fault.fatal:
                            condemned = True
                            self.end("protocol_error", self._delays.term_grace)
                            break
        if rest := splitter.rest():
            self._log.warning("protocol: a last line without newline: %r", rest[:120])

    async def _read_line(self, line: Line, listener: Listener) -> None:
        """Raises Fault."""
        self._heard_at = trio.current_time()
        message = self._conduct.read(line)
        if isinstance(message, Running):
            await self.family.report(message.descendants)
        listener.message(message)
        if self._conduct.stage == "over":
            self._over.set()

    async def _read_log(self) -> None:
        splitter = LineSplitter(LOG_LINE_CAP)
        async for chunk in self._stderr:
            for line in splitter.feed(chunk):
                self._log_line(line.data, " [cut]" if line.cut else "")
        if rest := splitter.rest():
            self._log_line(rest, "")

    def _log_line(self, data: bytes, suffix: str) -> None:
        self._log.info("%s%s", data.decode("utf-8", "replace"), suffix, event="output")

    async def _write(self) -> None:
        with suppress(trio.BrokenResourceError):  # it closed its stdin, or it is dead
            while True:
                await self._stdin.send_all(await self._outbox.next())
        self._outbox.close()

    async def _watch_silence(self) -> None:
        while (silent_at := self._heard_at + self._delays.hang) > trio.current_time():
            await trio.sleep_until(silent_at)
            # When this process was itself stopped for long, what the child said waits in the pipe.
            await trio.sleep(min(1.0, self._delays.hang / 10))
        self.end("hung", self._delays.term_grace)

    async def _watch_farewell(self) -> None:
        await self._over.wait()
        await trio.sleep(self._delays.farewell)
        self.end("lingered", self._delays.term_grace)

    async def _end_when_asked(self) -> None:
        await self._end_asked.wait()
        with self._grace:
            await terminate(self._everyone)
        await self._kill_everyone()

    async def _everyone(self) -> list[Process]:
        leader = read_process(self.identity.pid)
        alive = [] if leader is None or leader.dead else [leader]
        return [*alive, *await self.family.living()]

    async def _end_family(self) -> tuple[int, ...]:
        grace = self._delays.leftover_grace
        with trio.CancelScope(deadline=min(self._grace.deadline, trio.current_time() + grace)):
            await terminate(self.family.living)
            return ()
        return await self._kill_everyone()

    async def _kill_everyone(self) -> tuple[int, ...]:
        if self._cgroup is not None:
            self._cgroup.kill()
        return await kill(self._everyone)

    async def _close(self) -> Status | None:
        for stream in (self._stdin, self._stdout, self._stderr):
            await trio.aclose_forcefully(stream)
        with trio.move_on_after(SETTLE_SECONDS):
            await trio.lowlevel.wait_readable(self._spawned.pidfd)
        status = self._children.reap(self._spawned)
        if self._cgroup is not None:
            self._cgroup.remove()
        return status
