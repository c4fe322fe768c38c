"""The client of the control socket, against a daemon that closes the connection."""

from __future__ import annotations

import os
import socket
from collections.abc import Generator
from pathlib import Path

import pytest

from daemon.control import wire
from daemon.control.lines import answer_line, failure_line
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


def test_an_answer_that_comes_too_late_is_not_taken_for_the_next_ones(listener: socket.socket):
    def paused(request: int, seat: str) -> bytes:
        return answer_line(request, wire.PauseResult(seat=seat, session_id="s", paused=True))

    with Client([Path(listener.getsockname())]) as client:
        connection, _ = listener.accept()
        with connection:
            with pytest.raises(Trouble, match="did not answer"):
                client.ask("pause", wire.PauseParams(seat="red"), wire.PauseResult, 0.01)
            connection.sendall(paused(1, "red") + paused(2, "blue"))
            done = client.ask("pause", wire.PauseParams(seat="blue"), wire.PauseResult)
    assert done.seat == "blue"
