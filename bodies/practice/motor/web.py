"""The web: the motor as an MCP server over HTTP. The HTTP server needs asyncio."""

import socket
from collections.abc import Callable

import uvicorn

from bodies.practice.motor.host import Host
from bodies.practice.motor.serving import mcp_server


async def serve_http(
    host: Host, address: tuple[str, int], listening: Callable[[str], object]
) -> None:
    """Until a signal ends it; `listening` is told the real URL. Raises OSError."""
    with socket.create_server(address) as listener:
        app = mcp_server(host).streamable_http_app(host=address[0], json_response=True)
        listening(f"http://{address[0]}:{listener.getsockname()[1]}/mcp")
        config = uvicorn.Config(app, log_level="warning")
        try:
            await uvicorn.Server(config).serve(sockets=[listener])
        finally:
            host.chronicle.close()
