"""The client of the control socket, against a daemon that closes the connection."""

from __future__ import annotations

import os
import socket
from collections.abc import Generator
from pathlib import Path

import pytest

from daemon.control import wire
from daemon.control.lines import failure_line
from daemon.playctl.client import Client
from daemon.playctl.exits import Exit, Trouble


@pytest.fixture
def listener(tmp_path: Path) -> Generator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(os.fspath(tmp_path / "control.sock"))
        one.listen()
        yield one


@pytest.mark.parametrize(
    ("said", "exit", "told"),
    [
        (
            failure_line(None, wire.Failure(code="too_many_connections", message="no room")),
            Exit.REFUSED,
            "no room",
        ),
        (b"", Exit.NOT_RUNNING, "closed the connection"),
    ],
    ids=["turned away", "not a word"],
)
def test_what_was_said_before_the_connection_was_closed_is_read(
    listener: socket.socket, said: bytes, exit: Exit, told: str
):
    with Client([Path(listener.getsockname())]) as client:
        connection, _ = listener.accept()
        connection.sendall(said)
        connection.close()
        with pytest.raises(Trouble, match=told) as caught:
            client.ask("status", wire.StatusParams(), wire.StatusResult)
    assert caught.value.exit == exit
