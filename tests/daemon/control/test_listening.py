import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.control.listening import SocketRefused, listen_at, take_away


def test_the_socket_is_for_its_owner_and_group(tmp_path: Path):
    path = tmp_path / "control.sock"
    before = os.umask(0o022)
    try:
        listener = listen_at(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o660
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)
    take_away(listener, path)
    assert not path.exists()


def test_a_missing_folder_is_made_for_the_owner_alone(tmp_path: Path):
    path = tmp_path / "playd" / "control.sock"
    listen_at(path).close()
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_stale_socket_file_is_replaced(tmp_path: Path):
    path = tmp_path / "control.sock"
    listen_at(path).close()
    assert path.is_socket()
    with listen_at(path), socket.socket(socket.AF_UNIX) as client:
        client.connect(os.fspath(path))


def test_a_live_socket_is_refused_and_lives_on(tmp_path: Path):
    path = tmp_path / "control.sock"
    with listen_at(path), socket.socket(socket.AF_UNIX) as client:
        with pytest.raises(SocketRefused, match="another daemon answers"):
            listen_at(path)
        client.connect(os.fspath(path))


def test_a_live_socket_whose_queue_is_full_is_refused(tmp_path: Path):
    path = tmp_path / "control.sock"
    with socket.socket(socket.AF_UNIX) as busy:
        busy.bind(os.fspath(path))
        busy.listen(0)
        with socket.socket(socket.AF_UNIX) as first:
            first.connect(os.fspath(path))
            with pytest.raises(SocketRefused):
                listen_at(path)


@pytest.mark.parametrize("kind", ["file", "folder", "link to a file", "fifo"])
def test_anything_but_a_socket_is_left_alone(tmp_path: Path, kind: str):
    """Case 29."""
    path = tmp_path / "control.sock"
    match kind:
        case "file":
            path.write_text("precious")
        case "folder":
            path.mkdir()
        case "fifo":
            os.mkfifo(path)
        case _:
            (tmp_path / "elsewhere").write_text("precious")
            path.symlink_to(tmp_path / "elsewhere")
    before = path.lstat()
    with pytest.raises(SocketRefused, match=r"is not a socket: move it away"):
        listen_at(path)
    assert path.lstat().st_ino == before.st_ino


@pytest.mark.parametrize("name", ["no/such/folder/control.sock", "x" * 120])
def test_a_path_that_cannot_be_is_refused_by_name(tmp_path: Path, name: str):
    with pytest.raises(SocketRefused, match=str(tmp_path)):
        listen_at(tmp_path / name)


def test_another_socket_that_took_the_place_is_not_removed(tmp_path: Path):
    path = tmp_path / "control.sock"
    ours = listen_at(path)
    path.unlink()
    with listen_at(path), socket.socket(socket.AF_UNIX) as client:
        take_away(ours, path)
        client.connect(os.fspath(path))


def test_a_file_that_took_the_sockets_place_is_not_removed(tmp_path: Path):
    path = tmp_path / "control.sock"
    listener = listen_at(path)
    path.unlink()
    path.write_text("somebody else's")
    take_away(listener, path)
    assert path.read_text() == "somebody else's"


PASSED = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
from daemon.control.listening import SocketRefused, passed_by_systemd
os.environ["LISTEN_PID"] = str(os.getpid())
try:
    listener = passed_by_systemd()
    print(listener.getsockname())
except SocketRefused as error:
    print("refused:", error)
else:
    print("LISTEN_FDS" in os.environ, os.get_inheritable(3))
"""


def run_with_descriptor_3(passed: socket.socket) -> str:
    """A process with the socket as its descriptor 3, as systemd passes one."""
    done = subprocess.run(
        [sys.executable, "-c", PASSED, str(passed.fileno())],
        env={**os.environ, "LISTEN_FDS": "1"},
        pass_fds=(passed.fileno(),),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    return done.stdout + done.stderr


def test_a_socket_passed_by_systemd_is_used(tmp_path: Path):
    path = tmp_path / "passed.sock"
    with listen_at(path) as listener:
        assert run_with_descriptor_3(listener) == f"{path}\nFalse False\n"


def test_another_kind_of_passed_socket_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert run_with_descriptor_3(listener).startswith("refused: systemd must pass one")
