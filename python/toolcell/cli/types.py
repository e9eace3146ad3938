"""MCP servers and their tools as cells know them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolcell.catalog.tool import Tool
from toolcell.mcp import McpTool
from toolcell.mcp.declarations import DeclaredServer, DeclaredTool
from toolcell.mcp.members import members


class Members:
    """How cells call the tools of servers."""

    def __init__(self, servers: Iterable[DeclaredServer]) -> None:
        self._calls = {
            (server.name, tool.name): f"MCP.{server.member}.{tool.member}" for server in servers for tool in server.tools
        }

    def of(self, server: str, tool: str) -> str:
        """The function of a tool."""
        return self._calls[server, tool]


def declared_servers(names: Sequence[str], visible: Sequence[Tool]) -> list[DeclaredServer]:
    """Servers in their order, each with those of its tools that may be seen."""
    return [_server(name, member, visible) for name, member in zip(names, members(names), strict=True)]


def _server(name: str, member: str, visible: Sequence[Tool]) -> DeclaredServer:
    own = [tool for tool in visible if tool.kind == "mcp" and tool.owner == name]
    tools = [tool for tool in own if isinstance(tool, McpTool)]
    others = {tool.name for tool in own if not isinstance(tool, McpTool)}
    declared = [
        DeclaredTool(tool.name, called, tool.description, tool.input_schema, tool.output_schema)
        for tool, called in zip(tools, members([tool.name for tool in tools]), strict=True)
    ]
    return DeclaredServer(name, member, declared, resources="resources/list" in others, prompts="prompts/list" in others)
