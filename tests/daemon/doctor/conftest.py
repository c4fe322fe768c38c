"""A set-up that is well, to be made ill in one place."""

import os
import subprocess
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from config.loading import load_settings
from daemon.doctor.finding import Finding, Patient

CONFIGURATION = """
state_directory = "state"
[metrics]
bind = "127.0.0.1:0"
[models.small]
provider = "openai"
model = "tiny"
base_url = "http://127.0.0.1:1/v1"
local = true
[seats.red]
body = "pokemon"
model = "small"
address = "ws://127.0.0.1:1/"
game = "firered"
credential = "file:key"
display_name = "Red"
"""


@pytest.fixture
def patient(tmp_path: Path) -> Callable[..., Patient]:
    """`patient({"what stands in the configuration": "what stands there instead"})`."""

    def make(changes: dict[str, str] | None = None, **fields: object) -> Patient:
        text = CONFIGURATION
        for old, new in (changes or {}).items():
            assert old in text
            text = text.replace(old, new)
        folder = tmp_path / "etc"
        folder.mkdir(exist_ok=True, mode=0o700)
        file = folder / "playd.toml"
        file.write_text(text)
        file.chmod(0o600)
        (folder / "key").touch(0o600)
        (folder / "key").write_text("s3cret")
        (folder / "state").mkdir(exist_ok=True, mode=0o700)
        made = Patient(
            configuration=file,
            settings=load_settings(file),
            environ=os.environ,
            sockets=(tmp_path / "control.sock",),
            state_directory=folder / "state",
        )
        return replace(made, **fields)  # type: ignore[arg-type]

    return make


@pytest.fixture
def levels() -> Callable[[list[Finding]], list[str]]:
    def of(found: list[Finding]) -> list[str]:
        return [finding.level for finding in found]

    return of


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A private directory that takes nothing, from root neither."""
    folder = tmp_path / "read-only"
    folder.mkdir(mode=0o500)
    if os.geteuid() != 0:
        yield folder
        return
    subprocess.run(["mount", "-t", "tmpfs", "-o", "ro,mode=700", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


@asynccontextmanager
async def http_server(
    status: int = 200, body: bytes = b""
) -> AsyncGenerator[tuple[str, list[str]]]:
    """Answers every request alike; gives its `HOST:PORT` and the heads that it was sent."""
    heads: list[str] = []

    async def answer(stream: trio.SocketStream) -> None:
        async with stream:
            heads.append(bytes(await stream.receive_some()).decode(errors="replace"))
            head = (
                f"HTTP/1.1 {status} X\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
            )
            await stream.send_all(head.encode() + body)

    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, answer, 0, host="127.0.0.1"))
        yield f"127.0.0.1:{listeners[0].socket.getsockname()[1]}", heads
        nursery.cancel_scope.cancel()


@pytest.fixture
def answering():
    return http_server


@pytest.fixture
def clock() -> MockClock:
    """Waits a moment for the system's sockets before it jumps."""
    return MockClock(autojump_threshold=0.05)
