"""MCP servers of a command, and what a person is told while they start."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from toolcell.cli import inputs
from toolcell.mcp import McpConnections
from toolcell.untrusted import printable_line

REDRAW_S = 0.2
MAX_REASON_CHARS = 300
_ERASE = "\r\x1b[K"


@asynccontextmanager
async def connected(file: str | None) -> AsyncGenerator[McpConnections, None]:
    """Connections to the servers of a configuration file, each tried once.

    A terminal shows how far they are; anywhere else only servers that failed are told of, on standard error.
    """
    async with McpConnections(inputs.load_servers(file)) as connections:
        progress = asyncio.create_task(_show(connections)) if connections.servers and sys.stderr.isatty() else None
        try:
            await connections.ready()
        finally:
            if progress is not None:
                progress.cancel()
                with suppress(asyncio.CancelledError):
                    await progress
        for name, reason in connections.failures.items():
            print(f"toolcell: MCP server {name}: {printable_line(reason, MAX_REASON_CHARS)}", file=sys.stderr)
        yield connections


async def _show(connections: McpConnections) -> None:
    """Say which servers are waited for, in one line that is erased in the end."""
    try:
        while True:
            late = [state.name for state in connections.states() if state.status in ("idle", "connecting")]
            done = len(connections.servers) - len(late)
            line = f"MCP servers: {done} of {len(connections.servers)} started; waiting for {', '.join(late)}"
            print(_ERASE + line[:100], end="", file=sys.stderr, flush=True)
            await asyncio.sleep(REDRAW_S)
    finally:
        print(_ERASE, end="", file=sys.stderr, flush=True)
