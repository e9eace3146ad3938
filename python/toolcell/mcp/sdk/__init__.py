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

__all__ = ["Handlers", "RemoteError", "Session", "SessionLostError", "connect", "require"]


def connect(server: McpServer, handlers: Handlers, diagnostics: Diagnostics) -> AbstractAsyncContextManager[Session]:
    """Start or reach a server and shake hands; leaving the context ends the session and the server's processes."""
    return require()(server, handlers, diagnostics)


def require() -> Connect:
    """Find the adapter to the installed package.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        major = int(metadata.version("mcp").split(".")[0])
        if major >= 2:
            from toolcell.mcp.sdk import v2 as adapter
        else:
            from toolcell.mcp.sdk import v1 as adapter
    except ImportError:
        raise ConfigError(
            "mcp: MCP servers need the mcp package: pip install 'toolcell[mcp]'",
            field="mcp", value=None, allowed="no servers without the package",
        ) from None  # fmt: skip
    return cast("Connect", adapter.connect)
