"""Standard output, whose first failed write ends the command.

What is raised then is a Trouble and no OSError: click answers a closed pipe by itself, with the
exit code of what is bad.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from daemon.playctl.exits import Exit, NoReader, Trouble

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_DESCRIPTOR = 1


def guard_standard_output() -> None:
    """Puts the guarded one in place of `sys.stdout`; called once, before anything is written."""
    given = sys.__stdout__
    if given is None:
        # It is closed. No file that is opened later may take its place and get what is printed.
        os.dup2(os.open(os.devnull, os.O_RDONLY), _DESCRIPTOR)
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Guarded(_DESCRIPTOR, "wb", closefd=False)),
        encoding=given and given.encoding,
        errors=given and given.errors,
        line_buffering=True,
    )


class _Guarded(io.FileIO):
    """Raises NoReader or Trouble once; what is still in the buffers by then goes nowhere."""

    _failed = False

    def write(self, data: ReadableBuffer, /) -> int:
        if self._failed:
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except BrokenPipeError:
            self._failed = True
            raise NoReader from None
        except OSError as error:
            self._failed = True
            raise Trouble(
                Exit.USAGE,
                f"standard output cannot be written: {error.strerror}",
                "Send it to a file, a pipe or /dev/null.",
            ) from None
