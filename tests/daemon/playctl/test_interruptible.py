"""A wait for the daemon ends with what it says, at its bound, or at Ctrl-C."""

import io
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.playctl.interruptible import lines_of

ROOT = Path(__file__).parents[3]
WAITS = """
import signal, socket, threading
from daemon.playctl.interruptible import lines_of

here, there = socket.socketpair()
threading.Thread(target=threading.Event().wait, daemon=True).start()
# The other thread takes the signal, so that it does not interrupt this one's system call: the same
# as when it comes between the interpreter's last look at its signals and that call.
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
print("ready", flush=True)
try:
    lines_of(there).readline()
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, io.BufferedReader]]:
    here, there = socket.socketpair()
    with here, there, lines_of(there) as lines:
        yield here, lines
        # Who reads lends it to the signals for the time of a read alone.
        assert signal.set_wakeup_fd(-1) == -1


def test_lines_come_whole_however_they_were_cut(pair: tuple[socket.socket, io.BufferedReader]):
    here, lines = pair
    here.sendall(b"one\ntw")
    assert lines.readline() == b"one\n"
    here.sendall(b"o\nthree")
    assert lines.readline() == b"two\n"
    here.shutdown(socket.SHUT_WR)
    assert lines.readline() == b"three"
    assert lines.readline() == b""


def test_a_wait_ends_at_the_sockets_timeout():
    here, there = socket.socketpair()
    with here, there, lines_of(there) as lines:
        there.settimeout(0.01)
        with pytest.raises(TimeoutError):
            lines.readline()


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
