"""Asks the control socket as another user of the system; only root can become one."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another uid")
GROUP = 23456

_ASK = """
import os, socket, sys
path, uid, group, *lines = sys.argv[1:]
os.setgroups([int(group)])
os.setgid(int(uid))
os.setuid(int(uid))
with socket.socket(socket.AF_UNIX) as connection:
    try:
        connection.connect(path)
    except OSError as error:
        sys.exit(error.strerror)
    connection.sendall("".join(line + "\\n" for line in lines).encode())
    connection.shutdown(socket.SHUT_WR)
    while chunk := connection.recv(65536):
        sys.stdout.buffer.write(chunk)
"""


@contextmanager
def folder_for_all() -> Generator[Path]:
    """A folder that other users can pass through, which a test's own folder is not."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


async def answers_to(path: Path, uid: int, *asked: tuple[str, dict[str, Any]]) -> list[Any]:
    """Each request's result or its whole error, by the request's order."""
    lines = [
        msgspec.json.encode({"id": n, "verb": verb, "params": params}).decode()
        for n, (verb, params) in enumerate(asked)
    ]
    done = await trio.run_process(
        [sys.executable, "-c", _ASK, os.fspath(path), str(uid), str(GROUP), *lines],
        capture_stdout=True,
    )
    answers = {a["id"]: a for a in map(msgspec.json.decode, done.stdout.splitlines())}
    return [answers[n].get("result") or answers[n]["error"] for n in range(len(lines))]


async def ask_as(path: Path, uid: int, *asked: tuple[str, dict[str, Any]]) -> list[str]:
    """What each request came to: `ok`, or the error's code; by the request's order."""
    return [answer.get("code", "ok") for answer in await answers_to(path, uid, *asked)]
