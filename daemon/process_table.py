"""What the kernel says about the processes of this machine, read from /proc."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import trio

MARK = "PLAYD_SESSION"
"""Environment variable that names the session a process belongs to; its descendants inherit it."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A process that cannot be mistaken for a later one with its number, within one boot."""

    pid: int
    started: int
    """Clock ticks since boot."""


@dataclass(frozen=True, slots=True)
class Process:
    """One process as it was when it was read."""

    identity: Identity
    parent: int
    group: int
    session: int
    dead: bool
    """A zombie: it has ended and was not waited for."""

    @property
    def pid(self) -> int:
        """Its number."""
        return self.identity.pid


ProcessTable = dict[int, Process]
_STAT_BYTES = 4 * 1024
_ENVIRON_BYTES = 256 * 1024
_AT_A_TIME = 32
"""Processes: a millisecond of reading."""
_LOOKS = 4
"""At who is new; more than that only a host that starts processes all the time has."""
T = TypeVar("T")

_KEPT_BACK = 4
_kept_back = [os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC) for _ in range(_KEPT_BACK)]
"""Descriptors to read with when there is no other; another thread may be quicker to take some."""


def boot_id() -> str:
    """Names this boot of the machine."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def read_processes() -> ProcessTable:
    """Every process that /proc shows now."""
    return {pid: found for pid in _pids() if (found := read_process(pid)) is not None}


def stat_fields(pid: int) -> list[bytes] | None:
    """What /proc/PID/stat holds after the command, from the state on; None: no such process."""
    stat = _read(f"/proc/{pid}/stat", _STAT_BYTES)
    # The command in parentheses may itself hold spaces and parentheses.
    return None if stat is None else stat[stat.rfind(b")") + 2 :].split()


def read_process(pid: int) -> Process | None:
    """One process, or None when there is none with this number."""
    fields = stat_fields(pid)
    if fields is None:
        return None
    return Process(
        identity=Identity(pid, int(fields[19])),
        parent=int(fields[1]),
        group=int(fields[2]),
        session=int(fields[3]),
        dead=fields[0] in (b"Z", b"X"),
    )


class Census:
    """Reads the table once for all who ask at the same moment, some processes at a time.

    It takes 30 µs a process: with the hundreds of a busy host the loop must do other work between.
    """

    def __init__(self) -> None:
        self._reading = trio.Lock()
        self._next: _Shared | None = None

    async def take(self) -> ProcessTable:
        """The table, read after this call began. Raises OSError when /proc cannot be read."""
        shared = self._next = self._next or _Shared()
        async with self._reading:
            if shared.table is None:  # or whoever read it for all of us failed, or gave up
                if self._next is shared:
                    self._next = None  # who asks from now on wants it newer than this
                shared.table = await _read_by_and_by()
        return shared.table


async def _read_by_and_by() -> ProcessTable:
    found: ProcessTable = {}
    seen: set[int] = set()
    await trio.lowlevel.checkpoint()
    for _ in range(_LOOKS):
        # A process that forked and was gone before it was read has its child in the next look.
        if not (new := [pid for pid in _pids() if pid not in seen]):
            break
        seen.update(new)
        for number, pid in enumerate(new, start=1):
            if (process := read_process(pid)) is not None:
                found[pid] = process
            if number % _AT_A_TIME == 0:
                await trio.lowlevel.checkpoint()
    return found


def mark_of(pid: int) -> str | None:
    """The session that a process was started for, by its environment; None: none, or unreadable."""
    environ = _read(f"/proc/{pid}/environ", _ENVIRON_BYTES) or b""
    prefix = f"{MARK}=".encode()
    for entry in environ.split(b"\0"):
        if entry.startswith(prefix):
            return entry.removeprefix(prefix).decode("ascii", "replace")
    return None


def marks_in(table: ProcessTable) -> dict[int, str]:
    """The marks of a table's processes, where they have one that can be read."""
    found = {pid: mark_of(pid) for pid in table}
    return {pid: mark for pid, mark in found.items() if mark is not None}


@dataclass(slots=True)
class _Shared:
    table: ProcessTable | None = None
    """None: not read yet."""


def _pids() -> list[int]:
    return [int(name) for name in _although_exhausted(_names) if name.isdecimal()]


def _names() -> list[str]:
    with os.scandir("/proc") as entries:
        return [entry.name for entry in entries]


def _read(path: str, most: int) -> bytes | None:
    try:
        return _although_exhausted(lambda: _read_once(path, most))
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None


def _read_once(path: str, most: int) -> bytes:
    # Plain os calls and a buffer no larger than needed: this runs for every process of the machine.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, most)
    finally:
        os.close(descriptor)


def _although_exhausted(read: Callable[[], T]) -> T:
    """Read with a descriptor kept back, when there is no other: a session must be ended still."""
    try:
        while True:
            try:
                return read()
            except OSError as error:
                if error.errno not in (errno.EMFILE, errno.ENFILE) or not _kept_back:
                    raise
            os.close(_kept_back.pop())
    finally:
        _keep_some_back()


def _keep_some_back() -> None:
    with suppress(OSError):  # tried again with the next reading
        while len(_kept_back) < _KEPT_BACK:
            _kept_back.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
