"""The gateway over standard input and output, as a client starts it."""

from __future__ import annotations

from mcp.server.stdio import stdio_server

from toolcell.gateway.gateway import Gateway


async def serve_stdio(gateway: Gateway) -> None:
    """Serve one client until it closes standard input. What else the process prints goes to standard error."""
    async with stdio_server() as (read, write):
        await gateway.server.run(read, write, gateway.server.create_initialization_options())
