"""Serving: the motor as an MCP server, over standard input and output."""

import os
from collections.abc import Callable
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from bodies.practice.motor.conduct import reply
from bodies.practice.motor.host import Host
from bodies.practice.motor.tools import TOOLS, input_schema

_NAME = "playd-practice-motor"
_LINGERS_SECONDS = 600
_Context = ServerRequestContext[Any]


def mcp_server(host: Host) -> Server[Any]:
    """The host's tools; listing them joins nothing."""

    async def list_tools(
        _context: _Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(name=name, description=tool.description, input_schema=input_schema(tool))
                for name, tool in TOOLS.items()
            ]
        )

    async def call_tool(
        _context: _Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        made = await reply(host, params.name, params.arguments or {})
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=made.text)],
            structured_content=made.structured,
            is_error=made.is_error,
        )

    return Server(_NAME, on_list_tools=list_tools, on_call_tool=call_tool)


async def serve_stdio(open_host: Callable[[int], Host]) -> None:
    """Until standard input ends. The protocol library keeps prints off the wire; mischief may not.

    `open_host` gets the descriptor of the real standard output.
    """
    host = open_host(os.dup(1))
    server = mcp_server(host)
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
        if host.lingers:
            await anyio.sleep(_LINGERS_SECONDS)
    finally:
        host.chronicle.close()
