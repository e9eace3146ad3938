"""Tools of MCP servers. The ``mcp`` package is imported when the first server is connected."""

from toolcell.mcp.connection import McpConnection, McpConnections
from toolcell.mcp.server import McpServer
from toolcell.mcp.tool import McpTool

__all__ = ["McpConnection", "McpConnections", "McpServer", "McpTool"]
