"""Whatever the daemon passes on from models, worlds, rooms and sessions, a terminal obeys none."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
import pytest
from msgspec import Struct, UnsetType

from daemon.control import wire
from daemon.plain_text import escaped, plain
from daemon.playctl.main import run
from kernel.journal.story import Story

NASTY = "\x1b]0;owned\x07\x9b31m\x7f\u202e\r\b\u2066 words"
ANSWERS: dict[str, Any] = {
    "status": wire.StatusResult,
    "status red": wire.StatusResult,
    "seats": wire.SeatsResult,
    "sessions": wire.SessionsResult,
    "join red": wire.JoinResult,
    "stop red": wire.StopResult,
    "pause red": wire.PauseResult,
    "resume red": wire.PauseResult,
    "budget red": wire.BudgetResult,
    "observe red": wire.ObserveResult,
    "say red hello": wire.SayResult,
    "world check red": wire.WorldResult,
    "receipts": wire.ReceiptsResult,
    "reset red": wire.ResetResult,
    "recover red": wire.RecoverResult,
    "reload": wire.ReloadResult,
    "drain": wire.DrainResult,
    "health": wire.HealthResult,
    "watch": wire.Event,
    "watch red": wire.Event,
    "room tail den": wire.Event,
    "recall red": Story,
}


def filled(kind: Any) -> Any:
    """A document of a type with something nasty wherever it has room for text."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return filled(arguments[0])
    if origin is Literal:
        return arguments[0]
    if origin in (Union, UnionType):
        return filled(next(one for one in arguments if one not in (NoneType, UnsetType)))
    if origin in (tuple, frozenset, list):
        return [filled(arguments[0])]
    if origin is dict:
        return {NASTY if arguments[0] is str else filled(arguments[0]): filled(arguments[1])}
    if isinstance(kind, type) and issubclass(kind, Struct):
        fields = {field.encode_name: filled(field.type) for field in msgspec.structs.fields(kind)}
        config = kind.__struct_config__
        return fields if config.tag is None else {config.tag_field: config.tag, **fields}
    return {str: NASTY, int: 1, float: 1.0, bool: False}.get(kind, NASTY)


@contextmanager
def answering(path: Path, lines: list[Any]) -> Iterator[None]:
    """A socket that says these lines to whoever asks anything, under the id that was asked."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.fspath(path))
        listener.listen(8)

        def converse(connection: socket.socket) -> None:
            with connection, connection.makefile("rwb") as file:
                for asked in file:
                    id = msgspec.json.decode(asked)["id"]
                    for line in lines:
                        file.write(msgspec.json.encode({"id": id, **line}) + b"\n")
                    file.flush()

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=converse, args=(connection,), daemon=True).start()

        serving = threading.Thread(target=serve)
        serving.start()
        yield
        listener.shutdown(socket.SHUT_RDWR)
        serving.join()


def told(path: Path, command: str, *options: str) -> str:
    """Everything that a command prints."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        run(["--socket", os.fspath(path), *command.split(), *options])
    return out.getvalue() + err.getvalue()


def answer_of(kind: Any) -> list[Any]:
    if kind is wire.Event:
        events = [{"event": filled(event)} for event in get_args(wire.Event)]
        return [*events, {"ok": True, "result": {"sent": 1, "lost": 0}}]
    if kind is Story:
        return [{"ok": True, "result": {"seat": "red", "story": filled(Story)}}]
    return [{"ok": True, "result": filled(kind)}]


@pytest.mark.parametrize(
    ("command", "options"),
    [(command, ()) for command in ANSWERS]
    + [(command, ("--json",)) for command in ANSWERS if command != "room tail den"],
)
def test_no_answer_drives_the_terminal(tmp_path: Path, command: str, options: tuple[str, ...]):
    with answering(tmp_path / "socket", answer_of(ANSWERS[command])):
        shown = told(tmp_path / "socket", command, *options)
    assert "something unknown" not in shown, "the answer was not taken"
    assert len(shown) > 15
    assert shown == plain(shown)


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_no_refusal_drives_the_terminal(tmp_path: Path, options: tuple[str, ...]):
    error = {"code": "session_refused", "message": NASTY, "detail": NASTY}
    with answering(tmp_path / "socket", [{"ok": False, "error": error}]):
        shown = told(tmp_path / "socket", "join red", *options)
    assert shown.count("words") == 2
    assert shown == plain(shown)


def test_json_keeps_what_a_terminal_would_obey():
    assert msgspec.json.decode(escaped(msgspec.json.encode(NASTY).decode())) == NASTY
