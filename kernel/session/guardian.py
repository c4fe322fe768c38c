"""Ends this process and everything of it when the supervisor is gone and the loop does not manage.

End of file on stdin is the loop's own sign. This thread is for a loop that is blocked: it watches
the supervisor through a pidfd, grants the loop its four seconds, and then kills.
"""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections.abc import Callable, Iterable

GRACE_SECONDS = 4.0


def watch_supervisor(pid: int, descendants: Callable[[], Iterable[int]]) -> None:
    """Start the watch over the supervisor `pid`; `descendants` are pids outside our group.

    A supervisor that is gone already counts as gone now. The thread is a daemon: an ordinary exit
    does not wait for it.
    """
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        pidfd = None
    thread = threading.Thread(
        target=_guard, args=(pidfd, descendants), name="guardian", daemon=True
    )
    thread.start()


def _guard(pidfd: int | None, descendants: Callable[[], Iterable[int]]) -> None:
    if pidfd is not None:
        select.select([pidfd], [], [])
    time.sleep(GRACE_SECONDS)
    for pid in descendants():
        _kill_group(pid)
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def _kill_group(pid: int) -> None:
    try:
        os.killpg(os.getpgid(pid), signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
