"""A blocking client of the control socket: one connection, one request at a time.

It starts no daemon itself; systemd may, for the socket. Where none answers, the error names every
path that it tried.
"""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import msgspec

from daemon.control import wire
from daemon.playctl.exits import Exit, Trouble, trouble_of
from daemon.playctl.interruptible import Lines
from kernel.undecodable import UNDECODABLE

QUICK = 10.0
"""Seconds for what a daemon answers from memory."""
ENDING = 330.0
"""Seconds for what waits for sessions to end: the longest stop deadline and the kill after it."""
WORLD = 630.0
"""Seconds for a local world to become ready."""

R = TypeVar("R")


def socket_paths(given: str | None, environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Where a daemon may listen, likeliest first; only `given` when it is given."""
    if given is not None:
        return (Path(given),)
    folders = [
        environ.get("RUNTIME_DIRECTORY", "").split(":")[0],
        f"{environ['XDG_RUNTIME_DIR']}/playd" if environ.get("XDG_RUNTIME_DIR") else "",
        "/run/playd",
        environ.get("STATE_DIRECTORY", "").split(":")[0],
        f"{environ.get('XDG_STATE_HOME') or Path.home() / '.local/state'}/playd",
        "/var/lib/playd",
    ]
    return tuple(dict.fromkeys(Path(folder) / "control.sock" for folder in folders if folder))


class Client:
    """An open connection to the daemon, closed by the `with` block."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Connects to the first path where something is. Raises Trouble."""
        self._socket, self.path = _connect(paths)
        self._lines = Lines(self._socket)
        self._next_id = 0

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(OSError):
            # A thread that still waits for a line lets go of the buffer, or its close would wait.
            self._socket.shutdown(socket.SHUT_RDWR)
        self._lines.close()
        self._socket.close()

    def ask(self, verb: str, params: msgspec.Struct, result: type[R], seconds: float = QUICK) -> R:
        """The verb's result. Raises Trouble when it is refused or not answered in time."""
        self._send(verb, params)
        self._lines.within(seconds)
        answer = self._receive(seconds)
        if answer.result == _ABSENT:
            raise self._trouble(answer)
        return self._read(msgspec.json.Decoder(result), answer.result)

    def follow(self, params: wire.WatchParams) -> Generator[wire.Event]:
        """The events of a watch, as they come, until the daemon ends it. Raises Trouble.

        Waits without a bound: a quiet seat sends nothing, and the daemon's end ends the stream.
        """
        self._send("watch", params)
        self._lines.within(None)
        while (answer := self._receive(None)).event != _ABSENT:
            yield self._read(wire.event_decoder, answer.event)
        if answer.result == _ABSENT:
            raise self._trouble(answer)

    def _send(self, verb: str, params: msgspec.Struct) -> None:
        self._next_id += 1
        request = _encoder.encode(
            wire.Request(id=self._next_id, verb=verb, params=msgspec.Raw(_encoder.encode(params)))
        )
        if len(request) >= wire.LINE_CAP:
            raise Trouble(Exit.USAGE, f"the request is longer than {wire.LINE_CAP} bytes")
        try:
            self._socket.sendall(request + b"\n")
        except (BrokenPipeError, ConnectionResetError):
            return  # why it closed the connection may still wait to be read
        except OSError as error:
            raise self._gone(error) from None

    def _receive(self, seconds: float | None) -> _Answer:
        """What answers the latest request; an earlier one's comes too late for who asked it."""
        while True:
            answer = self._read(_answer_decoder, self._line(seconds))
            if not isinstance(answer.id, int) or answer.id >= self._next_id:
                return answer

    def _line(self, seconds: float | None) -> bytes:
        try:
            line = self._lines.readline()
        except TimeoutError:
            raise Trouble(
                Exit.BAD,
                f"the daemon at {self.path} did not answer within {seconds:g} s",
                "Its log may say why.",
            ) from None
        except OSError as error:
            raise self._gone(error) from None
        if not line.endswith(b"\n"):
            raise self._gone(None)
        return line

    def _read(self, decoder: msgspec.json.Decoder[R], data: bytes | msgspec.Raw) -> R:
        try:
            return decoder.decode(data)
        except UNDECODABLE:
            raise Trouble(
                Exit.NOT_RUNNING,
                f"what answers at {self.path} is no playd of this release",
                "After an upgrade: systemctl restart playd. Otherwise check --socket.",
            ) from None

    def _gone(self, error: OSError | None) -> Trouble:
        why = f" ({error.strerror})" if error is not None and error.strerror else ""
        return Trouble(
            Exit.NOT_RUNNING,
            f"the daemon at {self.path} closed the connection{why}",
            "It may have ended: try again.",
        )

    def _trouble(self, answer: _Answer) -> Trouble:
        if answer.error is None:
            return self._gone(None)
        if answer.error.code != "not_authorized":
            return trouble_of(answer.error)
        return Trouble(
            Exit.REFUSED,
            f"{answer.error.message}, at {self.path} (mode {_mode(self.path)})",
            answer.error.detail,
        )


_ABSENT = msgspec.Raw()


class _Answer(msgspec.Struct):
    id: wire.RequestId | None = None
    ok: bool = True
    result: msgspec.Raw = _ABSENT
    error: wire.Failure | None = None
    event: msgspec.Raw = _ABSENT


_encoder = msgspec.json.Encoder()
_answer_decoder = msgspec.json.Decoder(_Answer)


def _connect(paths: Sequence[Path]) -> tuple[socket.socket, Path]:
    denied: Trouble | None = None
    for path in paths:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(QUICK)
        try:
            connection.connect(os.fspath(path))
        except OSError as error:
            connection.close()
            match error:
                case FileNotFoundError() | ConnectionRefusedError() | NotADirectoryError():
                    continue
                case PermissionError():
                    denied = denied or _denied(path)
                case _:
                    raise Trouble(
                        Exit.NOT_RUNNING,
                        f"cannot connect to {path}: {error.strerror or error}",
                        "Name the daemon's socket with --socket.",
                    ) from None
        else:
            return connection, path
    raise denied or Trouble(
        Exit.NOT_RUNNING,
        f"no playd is running: nothing answers at {' or '.join(map(str, paths))}",
        "Start it with `playd run --config FILE`, or name its socket with --socket.",
    )


def _denied(path: Path) -> Trouble:
    return Trouble(
        Exit.REFUSED,
        f"uid {os.geteuid()} may not connect to {path} (mode {_mode(path)})",
        "Join the socket's group, or run as the daemon's user.",
    )


def _mode(path: Path) -> str:
    try:
        return f"{stat.S_IMODE(path.stat().st_mode):04o}"
    except OSError:
        return "unknown"
