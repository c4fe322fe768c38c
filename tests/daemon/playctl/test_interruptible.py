"""A wait for the daemon ends with what it says, at its bound, or at Ctrl-C."""

import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from daemon.playctl.interruptible import Lines

ROOT = Path(__file__).parents[3]
WAITS = """
import signal, socket, threading
from daemon.playctl.interruptible import Lines

here, there = socket.socketpair()
threading.Thread(target=threading.Event().wait, daemon=True).start()
# The other thread takes the signal, so that it does not interrupt this one's system call: the same
# as when it comes between the interpreter's last look at its signals and that call.
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
print("ready", flush=True)
try:
    Lines(there).readline()
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, Lines]]:
    here, there = socket.socketpair()
    with here, there, Lines(there) as lines:
        yield here, lines
        # Who reads lends it to the signals for the time of a read alone.
        assert signal.set_wakeup_fd(-1) == -1


def test_lines_come_whole_however_they_were_cut(pair: tuple[socket.socket, Lines]):
    here, lines = pair
    here.sendall(b"one\ntw")
    assert lines.readline() == b"one\n"
    here.sendall(b"o\nthree")
    assert lines.readline() == b"two\n"
    here.shutdown(socket.SHUT_WR)
    assert lines.readline() == b"three"
    assert lines.readline() == b""


def test_a_wait_ends_at_its_bound(pair: tuple[socket.socket, Lines]):
    _, lines = pair
    lines.within(0.01)
    with pytest.raises(TimeoutError):
        lines.readline()


def test_a_wait_ends_at_its_bound_also_where_bytes_never_cease_to_come(
    pair: tuple[socket.socket, Lines],
):
    here, lines = pair
    over = threading.Event()

    def trickle() -> None:
        for _ in range(1_000):
            if over.wait(0.001):
                return
            here.sendall(b"x")
        here.sendall(b"\n")

    thread = threading.Thread(target=trickle)
    thread.start()
    lines.within(0.05)
    try:
        with pytest.raises(TimeoutError):
            lines.readline()
    finally:
        over.set()
        thread.join()


def test_a_caller_that_holds_a_thousand_files_open_waits_as_well():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as held:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
        held.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        while (last := held.enter_context(Path(os.devnull).open()).fileno()) < 1024:
            pass
        here, there = (held.enter_context(end) for end in socket.socketpair())
        lines = held.enter_context(Lines(there))
        assert there.fileno() > last
        here.sendall(b"one\n")
        assert lines.readline() == b"one\n"


def test_ctrl_c_ends_a_wait_whose_system_call_it_did_not_interrupt():
    with subprocess.Popen(
        [sys.executable, "-c", WAITS], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        while not _sleeps(process.pid):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        try:
            assert process.communicate(timeout=60) == ("interrupted\n", None)
        finally:
            process.kill()


def _sleeps(pid: int) -> bool:
    """Whether its main thread waits in a system call."""
    return Path(f"/proc/{pid}/task/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "S"
