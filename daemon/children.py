"""The processes that are this one's children: those it starts, and the orphans that come to it.

As their subreaper the daemon adopts what a session's processes leave behind, and waits for each of
those by its pid once it is dead, never for just any child: others wait for the ones started here.
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass

import trio

from daemon.process_table import MARK, Census
from daemon.programs import search_path
from daemon.spawning import Spawned, spawn

SWEEP_SECONDS = 0.1
"""Deaths are looked for at most this often, since a look reads the whole process table."""
_OURS_ALONE = (
    "NOTIFY_SOCKET",
    "WATCHDOG_PID",
    "WATCHDOG_USEC",
    "LISTEN_FDS",
    "LISTEN_FDNAMES",
    "LISTEN_PID",
    "CREDENTIALS_DIRECTORY",
)
_PR_SET_CHILD_SUBREAPER = 36


def become_subreaper() -> None:
    """Make orphaned descendants children of this process instead of init's. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"prctl(PR_SET_CHILD_SUBREAPER): {os.strerror(code)}")


@dataclass(frozen=True, slots=True)
class Status:
    """How a process ended, as the kernel says it."""

    code: int
    """CLD_EXITED, CLD_KILLED or CLD_DUMPED."""
    value: int
    """The exit code, or the signal's number."""

    @property
    def clean(self) -> bool:
        """Exit code 0."""
        return self.code == os.CLD_EXITED and self.value == 0

    def __str__(self) -> str:
        if self.code == os.CLD_EXITED:
            return f"exit code {self.value}"
        known = {number.value: number.name for number in signal.Signals}
        return f"signal {known.get(self.value, self.value)}"


class Children:
    """Starts processes and tells them apart from adopted ones."""

    def __init__(self, census: Census) -> None:
        self.census = census
        self._started: set[int] = set()
        self._starting = 0

    async def start(
        self, command: Sequence[str], mark: str, *, output: int | None = None
    ) -> Spawned:
        """`spawning.spawn`; the caller waits for the process and then says `reap`.

        It inherits this environment, but for what systemd gave to the daemon alone, and the mark;
        programs beside this interpreter are found first.
        """
        environment = {name: os.environ[name] for name in os.environ if name not in _OURS_ALONE}
        environment["PATH"] = search_path(environment)
        self._starting += 1
        try:
            spawned = await spawn(command, {**environment, MARK: mark}, output=output)
            self._started.add(spawned.identity.pid)
        finally:
            self._starting -= 1
        return spawned

    def reap(self, spawned: Spawned) -> Status | None:
        """Wait for a started process that has ended, and give its pid back to the kernel.

        None: it has not ended. Then it is left to be reaped with the adopted ones.
        """
        result = os.waitid(os.P_PIDFD, spawned.pidfd, os.WEXITED | os.WNOHANG)
        os.close(spawned.pidfd)
        self._started.discard(spawned.identity.pid)
        return None if result is None else Status(result.si_code, result.si_status)

    async def reap_adopted(
        self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Wait for adopted processes as they die, until cancelled. For the main thread."""
        become_subreaper()
        with trio.open_signal_receiver(signal.SIGCHLD) as deaths:
            task_status.started()
            async for _ in deaths:
                await self.sweep()
                await trio.sleep(SWEEP_SECONDS)

    async def sweep(self) -> None:
        """Wait for the adopted processes that are dead now."""
        table = await self.census.take()
        # One that is just being started is not known by its pid yet: look again after it is.
        while self._starting:
            await trio.sleep(SWEEP_SECONDS)
            table = await self.census.take()
        me, my_session = os.getpid(), os.getsid(0)
        for process in table.values():
            adopted = process.parent == me and process.session != my_session
            if process.dead and adopted and process.pid not in self._started:
                _reap(process.pid)


def _reap(pid: int) -> None:
    try:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG)
    except ChildProcessError:
        return  # two sweeps read the same table, and the other one was first
