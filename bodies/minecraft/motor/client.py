"""The MCP client: connects to a motor by command or URL, and calls its tools within bounds."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import anyio
import trio
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import CONNECTION_CLOSED, CallToolResult, Implementation, TextContent

from bodies.minecraft.motor.motor import MotorLost, MotorTrouble
from bodies.minecraft.motor.process import WRITES_AHEAD, MotorProcess, Outgoing, running_motor
from bodies.minecraft.motor.tools import ANSWER_CHARACTERS, ToolAnswer, one_line
from kernel.version import VERSION

START_S = 20.0
"""Seconds for a motor to start and shake hands."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A motor that answers. Nothing is joined by being connected."""

    client: McpTools
    names: frozenset[str]
    """Of its tools."""
    process: MotorProcess | None
    """None for a motor that somebody else runs."""


class McpTools:
    """Implements `Tools` over one MCP session."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session

    async def call(self, name: str, arguments: dict[str, Any], seconds: float) -> ToolAnswer:
        """Call one. Raises MotorTrouble and MotorLost."""
        with trio.move_on_after(seconds):
            try:
                return _answer(await self._session.call_tool(name, arguments))
            except MCPError as error:
                raise _told(name, error) from None
            except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                raise MotorLost("the connection to the motor ended") from None
            except (RuntimeError, ValueError) as wrong:
                # The library's words for a result that breaks the protocol or its own schema.
                raise MotorTrouble(f"{name} broke the protocol: {one_line(str(wrong))}") from None
        raise MotorTrouble(f"{name} was not answered within {seconds:g} s")


@asynccontextmanager
async def connected(
    motor: tuple[str, ...] | str, lost: Callable[[str], None]
) -> AsyncGenerator[Connection]:
    """Connect, shake hands and list the tools. `lost` is told when the motor goes by itself.

    Raises MotorLost when it cannot be started or reached, and what the library raises for a motor
    that breaks the protocol while it shakes hands.
    """
    async with AsyncExitStack() as stack:
        process = None
        if isinstance(motor, str):
            incoming, writer = await stack.enter_async_context(streamable_http_client(motor))
            outgoing = await stack.enter_async_context(_with_room(writer))
        else:
            try:
                process = await stack.enter_async_context(running_motor(motor, lost))
            except OSError as error:
                raise MotorLost(f"the motor {motor[0]!r} cannot be started: {error}") from None
            incoming, outgoing = process.incoming, process.outgoing
        session = await stack.enter_async_context(
            ClientSession(
                incoming, outgoing, client_info=Implementation(name="playd", version=VERSION)
            )
        )
        try:
            with trio.fail_after(START_S):
                await session.initialize()
                listed = await session.list_tools()
        except trio.TooSlowError:
            raise MotorLost(f"the motor did not shake hands within {START_S:g} s") from None
        names = frozenset(tool.name for tool in listed.tools)
        yield Connection(McpTools(session), names, process)


class _Writer(Protocol):
    async def send(self, item: SessionMessage, /) -> None: ...


@asynccontextmanager
async def _with_room(writer: _Writer) -> AsyncGenerator[Outgoing]:
    """Room for messages that the library's HTTP transport has no time for.

    A cancelled call sends a last notice under a shield; a motor that hangs must not hold that up.
    """
    outgoing, waiting = anyio.create_memory_object_stream[SessionMessage](WRITES_AHEAD)

    async def relay() -> None:
        async for message in waiting:
            try:
                await writer.send(message)
            except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                # The transport is over, and answers what was sent through it by itself.
                return

    async with waiting, outgoing, trio.open_nursery() as nursery:
        nursery.start_soon(relay)
        yield outgoing
        nursery.cancel_scope.cancel()


def _answer(result: CallToolResult) -> ToolAnswer:
    text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
    if len(text) > ANSWER_CHARACTERS:
        raise ValueError(f"an answer of more than {ANSWER_CHARACTERS} characters")
    return ToolAnswer(text, result.structured_content, bool(result.is_error))


def _told(name: str, error: MCPError) -> MotorTrouble | MotorLost:
    if error.code == CONNECTION_CLOSED:
        return MotorLost("the connection to the motor ended")
    return MotorTrouble(f"{name} failed: {one_line(error.message)}")
