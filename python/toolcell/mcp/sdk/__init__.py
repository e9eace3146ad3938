"""The official ``mcp`` package, whichever version is installed, behind one interface.

The package is imported when the first server is connected, not before.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from importlib import metadata
from typing import cast

from toolcell.errors import ConfigError
from toolcell.mcp.sdk.protocol import Connect, Handlers, RemoteError, Session, SessionLostError
from toolcell.mcp.server import McpServer
from toolcell.mcp.stdio import Diagnostics

__all__ = ["Handlers", "RemoteError", "Session", "SessionLostError", "connect", "load", "require"]


def connect(server: McpServer, handlers: Handlers, diagnostics: Diagnostics) -> AbstractAsyncContextManager[Session]:
    """Start or reach a server and shake hands; leaving the context ends the session and the server's processes."""
    return load()(server, handlers, diagnostics)


def require() -> int:
    """Find the installed package without importing it; returns the first number of its version.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        return int(metadata.version("mcp").split(".")[0])
    except metadata.PackageNotFoundError:
        raise ConfigError(
            "mcp: MCP servers need the mcp package: pip install 'toolcell[mcp]'",
            field="mcp", value=None, allowed="no servers without the package",
        ) from None  # fmt: skip


def load() -> Connect:
    """Import the adapter to the installed package, and the package with it, which takes its time."""
    if require() >= 2:
        from toolcell.mcp.sdk import v2 as adapter
    else:
        from toolcell.mcp.sdk import v1 as adapter
    return cast("Connect", adapter.connect)
