"""What the kernel says about the processes of this machine, read from /proc."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
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
T = TypeVar("T")

_kept_back = [os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)]
"""A descriptor to read with when there is no other; empty while another thread was quicker."""


def boot_id() -> str:
    """Names this boot of the machine."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def read_processes() -> ProcessTable:
    """Every process that /proc shows now."""
    found: ProcessTable = {}
    for name in _although_exhausted(_names):
        if name.isdecimal() and (process := read_process(int(name))) is not None:
            found[process.pid] = process
    return found


def stat_fields(pid: int) -> list[bytes] | None:
    """What /proc/PID/stat holds after the command, from the state on; None: no such process."""
    stat = _read(f"/proc/{pid}/stat")
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
    """Reads the table once for all who ask at the same moment: reading it takes milliseconds."""

    def __init__(self) -> None:
        self._coming: _Coming | None = None

    async def take(self) -> ProcessTable:
        """The table, read after this call began. Raises OSError when /proc cannot be read."""
        while (coming := self._coming) is not None:
            await coming.read.wait()
            if coming.table is not None:
                return coming.table
        coming = self._coming = _Coming()
        await trio.lowlevel.cancel_shielded_checkpoint()
        self._coming = None
        try:
            coming.table = read_processes()
        finally:
            coming.read.set()
        return coming.table


def mark_of(pid: int) -> str | None:
    """The session that a process was started for, by its environment; None: none, or unreadable."""
    environ = _read(f"/proc/{pid}/environ") or b""
    prefix = f"{MARK}=".encode()
    for entry in environ.split(b"\0"):
        if entry.startswith(prefix):
            return entry.removeprefix(prefix).decode("ascii", "replace")
    return None


@dataclass(slots=True)
class _Coming:
    read: trio.Event = field(default_factory=trio.Event)
    table: ProcessTable | None = None
    """None once it was read: that failed, and whoever waited reads for itself."""


def _names() -> list[str]:
    with os.scandir("/proc") as entries:
        return [entry.name for entry in entries]


def _read(path: str) -> bytes | None:
    try:
        return _although_exhausted(lambda: _read_once(path))
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None


def _read_once(path: str) -> bytes:
    # Plain os calls: this runs for every process of the machine.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 256 * 1024)
    finally:
        os.close(descriptor)


def _although_exhausted(read: Callable[[], T]) -> T:
    """Read with the descriptor kept back, when there is no other: a session must be ended still."""
    _keep_one_back()
    try:
        return read()
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE) or not _kept_back:
            raise
    os.close(_kept_back.pop())
    try:
        return read()
    finally:
        _keep_one_back()


def _keep_one_back() -> None:
    if not _kept_back:
        with suppress(OSError):  # tried again with the next reading
            _kept_back.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
