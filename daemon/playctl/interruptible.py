"""Reads a socket so that Ctrl-C always ends the waiting.

A signal that comes just before the system call that waits would else be noticed only once that call
returns: a quiet seat keeps it waiting for hours.
"""

from __future__ import annotations

import io
import select
import signal
import socket
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class Lines(io.BufferedReader):
    """What a socket receives, to be read line by line. Closing it leaves the socket open."""

    def __init__(self, connection: socket.socket) -> None:
        self._source = _Interruptible(connection)
        super().__init__(self._source)

    def within(self, seconds: float | None) -> None:
        """Bound all that is read from now on, however often something comes; None: no bound.

        Reading raises TimeoutError once it is over.
        """
        self._source.deadline = None if seconds is None else time.monotonic() + seconds


class _Interruptible(io.RawIOBase):
    def __init__(self, connection: socket.socket) -> None:
        super().__init__()
        self.deadline: float | None = None
        self._connection = connection
        self._woken, self._wakes = socket.socketpair()
        self._woken.setblocking(False)
        self._wakes.setblocking(False)
        self._waiting = select.poll()  # select itself knows no descriptor above 1023
        self._waiting.register(connection, select.POLLIN)
        self._waiting.register(self._woken, select.POLLIN)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        woken = self._woken.fileno()
        with self._woken_by_signals():
            while True:
                ready = {descriptor for descriptor, _ in self._waiting.poll(self._left())}
                if ready - {woken}:
                    return self._connection.recv_into(buffer)
                if ready:
                    with suppress(BlockingIOError):
                        self._woken.recv(64)  # what the signal raises comes before the next round

    def _left(self) -> float | None:
        """Milliseconds, for `poll`."""
        if self.deadline is None:
            return None
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left * 1000

    @contextmanager
    def _woken_by_signals(self) -> Generator[None]:
        """In the main thread; signals reach no other."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.set_wakeup_fd(self._wakes.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)

    def close(self) -> None:
        self._woken.close()
        self._wakes.close()
        super().close()
