"""A motor as a child process: MCP's lines over its stdin and stdout, and nothing of it survives.

The client library's own stdio transport tells no pid, lets grandchildren of a motor that exits by
itself live on, and keeps a line without an end in memory for ever; so the process is ours and the
messages are the library's.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import trio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

LINE_BYTES = 4 << 20
"""The longest line that is read; a longer one is dropped and counted."""
READ_BYTES = 64 * 1024
WRITES_AHEAD = 64
"""Messages that may wait for a motor that does not read."""
STEPS_S = ((0.1, signal.SIGTERM), (0.5, signal.SIGKILL))
"""How long a motor whose stdin was closed is waited for before each signal. It has left by then."""
DRAIN_S = 0.25
"""Between the end of a motor's process and the end of its output, whichever comes first."""
REAP_S = 2.0
"""Until the system has ended what was killed."""

ENDED = "the motor's process ended; its own words are in the log"

_INHERITED = (
    "HOME",
    "LANG",
    "LC_ALL",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    # Names the session to the supervisor, which finds orphans by it.
    "PLAYD_SESSION",
)

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]


@dataclass(slots=True)
class MotorProcess:
    """A running motor. `garbled` counts lines that were no message."""

    pid: int
    incoming: Incoming
    outgoing: Outgoing
    garbled: int = 0
    closing: bool = False
    exited: trio.Event = field(default_factory=trio.Event)
    drained: trio.Event = field(default_factory=trio.Event)


def scrubbed_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What a motor is given of an environment: nothing that a secret may stand in."""
    return {name: environment[name] for name in _INHERITED if name in environment}


@asynccontextmanager
async def running_motor(
    command: tuple[str, ...], lost: Callable[[str], None]
) -> AsyncGenerator[MotorProcess]:
    """Run the command in a session and group of its own; `lost` is told when it ends by itself.

    Raises OSError when it cannot be started. Leaving takes at most 3 s and kills the whole group.
    """
    process = await trio.lowlevel.open_process(
        list(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=scrubbed_environment(os.environ),
        start_new_session=True,
    )
    # Opened while nobody has waited for the process: it names this process and no later one.
    pidfd = os.pidfd_open(process.pid)
    to_session, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, from_session = anyio.create_memory_object_stream[SessionMessage](WRITES_AHEAD)
    motor = MotorProcess(process.pid, incoming, outgoing)

    def gone(cause: str) -> None:
        if not motor.closing:
            lost(cause)
        to_session.close()

    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_watch, motor, pidfd, gone)
            nursery.start_soon(_read, process, motor, to_session, gone)
            nursery.start_soon(_write, process, from_session, gone)
            try:
                yield motor
            finally:
                motor.closing = True
                nursery.cancel_scope.cancel()
    finally:
        with trio.CancelScope(shield=True):
            await _end(process, pidfd)
        os.close(pidfd)
        for stream in (to_session, incoming, outgoing, from_session):
            stream.close()


async def _watch(motor: MotorProcess, pidfd: int, gone: Callable[[str], None]) -> None:
    await trio.lowlevel.wait_readable(pidfd)
    motor.exited.set()
    # Its last answer may still be in the pipe, which a grandchild may hold open for ever.
    with trio.move_on_after(DRAIN_S):
        await motor.drained.wait()
    gone(ENDED)


async def _read(
    process: trio.Process,
    motor: MotorProcess,
    to_session: MemoryObjectSendStream[SessionMessage | Exception],
    gone: Callable[[str], None],
) -> None:
    assert process.stdout is not None
    buffer = bytearray()
    dropping = False
    try:
        while chunk := await process.stdout.receive_some(READ_BYTES):
            *lines, rest = bytes(chunk).split(b"\n")
            for part in lines:
                line, buffer = bytes(buffer) + part, bytearray()
                if dropping or not await _deliver(line, to_session):
                    motor.garbled += 1
                dropping = False
            buffer += rest
            if len(buffer) > LINE_BYTES:
                buffer, dropping = bytearray(), True
    except (trio.BrokenResourceError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass
    motor.drained.set()
    with trio.move_on_after(DRAIN_S):
        await motor.exited.wait()
    gone(ENDED if motor.exited.is_set() else "the motor closed its output")


async def _deliver(
    line: bytes, to_session: MemoryObjectSendStream[SessionMessage | Exception]
) -> bool:
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return not line.strip()
    await to_session.send(SessionMessage(message))
    return True


async def _write(
    process: trio.Process,
    from_session: MemoryObjectReceiveStream[SessionMessage],
    gone: Callable[[str], None],
) -> None:
    assert process.stdin is not None
    try:
        async for message in from_session:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            await process.stdin.send_all(text.encode() + b"\n")
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        gone("the motor closed its input")


async def _end(process: trio.Process, pidfd: int) -> None:
    """End the process and its group. Its zombie keeps the group's number until it is reaped."""
    assert process.stdin is not None
    assert process.stdout is not None
    await process.stdin.aclose()
    for grace, number in STEPS_S:
        with trio.move_on_after(grace):
            await trio.lowlevel.wait_readable(pidfd)
            break
        _signal_group(process.pid, number)
    _signal_group(process.pid, signal.SIGKILL)
    with trio.move_on_after(REAP_S) as reaping:
        await process.wait()
    if reaping.cancelled_caught:
        print(f"motor process {process.pid} does not end although killed", file=sys.stderr)
    await process.stdout.aclose()


def _signal_group(pid: int, number: signal.Signals) -> None:
    try:
        os.killpg(pid, number)
    except (ProcessLookupError, PermissionError):
        return
