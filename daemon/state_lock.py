"""One daemon a state directory, by an exclusive lock that the kernel drops with the process."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path


class StateHeld(Exception):
    """Another daemon holds this state directory; nothing was changed."""

    def __init__(self, directory: Path, holder: str) -> None:
        by = f"pid {holder}" if holder else "another process"
        super().__init__(f"{directory} is held by {by}; stop that daemon or use another directory")
        self.directory = directory


HANDOVER_SECONDS = 1.0
"""For the lock of a daemon that was just killed: a child that it was starting has a copy of the
descriptor until it runs its own program."""


@contextmanager
def held_state(directory: Path) -> Generator[None]:
    """Hold the directory, which is made with mode 0700 when it is missing. Raises StateHeld."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(directory / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not _taken(lock):
            raise StateHeld(directory, os.pread(lock, 32, 0).decode("ascii", "replace"))
        with suppress(OSError):  # only a hint for people; the lock is what counts on a full disk
            os.ftruncate(lock, 0)
            os.pwrite(lock, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(lock)


def _taken(lock: int) -> bool:
    deadline = time.monotonic() + HANDOVER_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.02)
        else:
            return True
