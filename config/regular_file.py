"""Reads a file that somebody named, without hanging on what is not a file and within a bound."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path


class FileError(Exception):
    """A file that cannot be used: what is wrong with it, and what to do where that is known."""

    def __init__(self, path: Path, problem: str, hint: str | None = None) -> None:
        super().__init__(f"{path}: {problem}" + (f" ({hint})" if hint else ""))
        self.path = path
        self.problem = problem
        self.hint = hint


@dataclass(frozen=True)
class RegularFile:
    """A file's bytes with its owner and permission bits, taken from one open descriptor."""

    data: bytes
    owner: int
    mode: int


def read_regular_file(path: Path, limit: int) -> RegularFile:
    """Reads at most `limit` bytes; links are followed.

    Raises FileError for a longer file, for one that cannot be opened, and for a folder, FIFO,
    socket or device, none of which it waits for.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise FileError(path, "is not a regular file")
            data = file.read(limit + 1)
    except IsADirectoryError:
        raise FileError(path, "is not a regular file") from None
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror}") from error
    if len(data) > limit:
        raise FileError(path, f"is longer than {limit} bytes")
    return RegularFile(data, status.st_uid, stat.S_IMODE(status.st_mode))
