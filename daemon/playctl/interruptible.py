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
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


def lines_of(connection: socket.socket) -> io.BufferedReader:
    """What the socket receives, to be read line by line, within the socket's timeout.

    Closing it leaves the socket open.
    """
    return io.BufferedReader(_Interruptible(connection))


class _Interruptible(io.RawIOBase):
    def __init__(self, connection: socket.socket) -> None:
        super().__init__()
        self._connection = connection
        self._woken, self._wakes = socket.socketpair()
        self._woken.setblocking(False)
        self._wakes.setblocking(False)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        connection, woken = self._connection, self._woken
        with self._woken_by_signals():
            while True:
                ready, _, _ = select.select([connection, woken], [], [], connection.gettimeout())
                if connection in ready:
                    return connection.recv_into(buffer)
                if not ready:
                    raise TimeoutError
                with suppress(BlockingIOError):
                    woken.recv(64)  # what the signal raises comes before the next round

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
