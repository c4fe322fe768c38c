"""The control socket itself: where it is, what may be in its place, and how it goes away."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

BACKLOG = 128
MODE = 0o660


class SocketRefused(Exception):
    """The socket could not be made; the text names the path and the next step."""


def listen_at(path: Path) -> socket.socket:
    """A listening socket at `path`, mode 0660.

    A socket file that nobody answers is replaced. One that answers, and anything that is not a
    socket, is left alone. Raises SocketRefused.
    """
    _make_room(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o777 & ~MODE)
    try:
        listener.bind(os.fspath(path))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise SocketRefused(f"cannot listen at {path}: {error.strerror or error}") from None
    finally:
        os.umask(before)
    return listener


def take_away(listener: socket.socket, path: Path) -> None:
    """Closes the listener and removes its file, unless something else took its place."""
    listener.close()
    if path.is_socket() and not _answers(path):
        path.unlink(missing_ok=True)


def passed_by_systemd() -> socket.socket | None:
    """The listening unix socket that systemd opened for this process, or None.

    Raises SocketRefused when something else was passed.
    """
    if "LISTEN_FDS" not in os.environ:
        return None
    from systemd import daemon  # pyright: ignore[reportMissingTypeStubs]

    passed = daemon.listen_fds()
    for name in ("LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"):  # ours alone, no child's
        os.environ.pop(name, None)
    if not passed:
        return None
    listener = socket.socket(fileno=passed[0])
    listens = listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    if len(passed) > 1 or listener.family != socket.AF_UNIX or not listens:
        raise SocketRefused("systemd must pass one listening unix stream socket: see playd.socket")
    return listener


def _make_room(path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        kind = path.lstat().st_mode
    except FileNotFoundError:
        if path.parent.is_dir():
            return
        raise SocketRefused(f"the folder above {path.parent} does not exist") from None
    except OSError as error:
        raise SocketRefused(f"cannot use {path}: {error.strerror or error}") from None
    if not stat.S_ISSOCK(kind):
        raise SocketRefused(f"{path} is not a socket: move it away, or name another path")
    if _answers(path):
        raise SocketRefused(f"another daemon answers at {path}")
    path.unlink(missing_ok=True)


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(os.fspath(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:
            return True  # its queue is full, or it is somebody else's: not ours to replace
    return True
