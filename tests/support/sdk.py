"""The official client of MCP, to compare with."""

from __future__ import annotations

from typing import Any

from mcp import Client, StdioServerParameters

from toolcell import McpServer


def sdk_client(server: McpServer, **options: Any) -> Client:
    """A client of a server that is started as a process; not connected yet."""
    program, *arguments = server.command
    return Client(StdioServerParameters(command=program, args=arguments, env=dict(server.env), cwd=server.cwd), **options)
