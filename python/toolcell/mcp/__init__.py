"""Tools of MCP servers. The ``mcp`` package is imported when the first server is connected."""

from toolcell.mcp.connection import McpConnection
from toolcell.mcp.connections import McpConnections, ServerRequest
from toolcell.mcp.method import McpMethod
from toolcell.mcp.server import McpServer
from toolcell.mcp.settings import load_servers
from toolcell.mcp.state import ServerState
from toolcell.mcp.tool import McpTool

__all__ = [
    "McpConnection",
    "McpConnections",
    "McpMethod",
    "McpServer",
    "McpTool",
    "ServerRequest",
    "ServerState",
    "load_servers",
]
