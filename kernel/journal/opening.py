"""Opens what somebody else may have put there: files alone, never a pipe or a device."""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path
from typing import BinaryIO


def open_file(path: Path, buffering: int = io.DEFAULT_BUFFER_SIZE) -> BinaryIO:
    """The file at this path, to be read. Raises OSError; a pipe or device is never waited for."""
    return open(path, "rb", buffering=buffering, opener=_opened)  # Path has no opener


def _opened(path: str, flags: int) -> int:
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, "Not a file", path)
