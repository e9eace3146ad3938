"""Real MCP servers of the tests, and what is left of them."""

from __future__ import annotations

import asyncio
import sys
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from toolcell.catalog import CallContext, ToolResult
from toolcell.mcp import McpConnections, McpServer

SERVERS = Path(__file__).parents[1] / "integration/servers"
CONTEXT = CallContext(call_id="cell/1", tool_id="mcp:server:tool")


def faulty(name: str = "faulty", fault: str = "", **options: Any) -> tuple[McpServer, str]:
    """A server of `servers/faulty.py`, and the mark that its processes have in their command lines."""
    mark = f"mark-{uuid.uuid4().hex}"
    command = [sys.executable, "-S", str(SERVERS / "faulty.py"), mark, fault]
    return McpServer.stdio(name, command, **options), mark


def processes(mark: str) -> list[int]:
    """Ids of the living processes that have this mark in their command lines."""
    found: list[int] = []
    for folder in Path("/proc").iterdir():
        try:
            if mark.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except (OSError, ValueError):
            continue
    return found


@asynccontextmanager
async def connected(*servers: McpServer, **options: Any) -> AsyncGenerator[McpConnections]:
    """Connections to servers, closed in the end."""
    async with McpConnections(servers, **options) as connections:
        await connections.ready()
        yield connections


async def call(
    connections: McpConnections, name: str, given: Any = None, *, server: str | None = None, context: CallContext = CONTEXT
) -> ToolResult:
    """Call a tool as the pipeline does."""
    [tool] = [tool for tool in connections.tools if tool.name == name and server in (None, tool.owner)]
    return tool.finish(await tool.prepare(given, context)())


async def said(connections: McpConnections, name: str, given: Any = None, *, server: str | None = None) -> str:
    """The text that a tool returns."""
    result = await call(connections, name, given, server=server)
    [block] = result.details["content"]
    return block["text"]


async def until(condition: Any) -> None:
    """Wait for something that happens in another process."""
    while not condition():  # noqa: ASYNC110 - nothing of this process tells of it
        await asyncio.sleep(0.01)
