"""Standard output, whose first failed write ends the command, and stderr, which never does.

Standard output then raises a Trouble and no OSError: click answers a closed pipe by itself, with
the exit code of what is bad.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

from daemon.playctl.exits import Exit, NoReader, Trouble

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def guard_standard_output() -> None:
    """Puts both in place of Python's own; called once, before anything is written."""
    if sys.__stdout__ is None:
        # It is closed. No file that is opened later may take its place and get what is printed.
        os.dup2(os.open(os.devnull, os.O_RDONLY), 1)
    sys.stdout = _as_text(_Output(1, "wb", closefd=False), sys.__stdout__)
    if sys.__stderr__ is not None:
        sys.stderr = _as_text(_Errors(2, "wb", closefd=False), sys.__stderr__)


class _Output(io.FileIO):
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


class _Errors(io.FileIO):
    """Of what it cannot write nobody can be told: the exit code alone tells."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def _as_text(raw: io.FileIO, like: TextIO | None) -> TextIO:
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=like and like.encoding,
        errors=like and like.errors,
        line_buffering=True,
    )
