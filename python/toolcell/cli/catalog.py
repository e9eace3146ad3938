"""``toolcell catalog``."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterable, Sequence

from toolcell.catalog.catalog import Catalog
from toolcell.catalog.entry import CatalogEntry
from toolcell.catalog.function_tool import as_tool
from toolcell.cli import inputs
from toolcell.cli.imports import load_policy, load_tools
from toolcell.cli.servers import connected
from toolcell.cli.types import Members, declared_servers
from toolcell.display import shown
from toolcell.host_config import HostConfig
from toolcell.mcp import McpMethod
from toolcell.mcp.declarations import index_declaration, server_declaration
from toolcell.policy.policy import Policy, VisibleTool

MAX_DESCRIPTION_CHARS = 80


def catalog(options: argparse.Namespace) -> int:
    """List or search the tools that a cell can call, or print the declarations of those of MCP servers."""
    config = HostConfig.of(inputs.read_config(options.config)).code_mode
    policy = load_policy(options.policy) or Policy()
    native = [as_tool(tool) for tool in load_tools(options.tools)]

    async def load() -> list[str]:
        async with connected(options.mcp) as connections:
            tools = [*native, *connections.tools]
            visible = [tool for tool in tools if policy.visible(VisibleTool(tool.id(config.host_label), tool.name))]
            servers = declared_servers([server.name for server in connections.servers], visible)
            if options.types:
                return [index_declaration(servers), *map(server_declaration, servers)]
            listed = Catalog([tool for tool in visible if not isinstance(tool, McpMethod)], host_label=config.host_label)
            found = listed.tools if options.search is None else listed.find(options.search, config.max_search_limit)
            if options.json:
                return [json.dumps([entry.compact() for entry in found], ensure_ascii=False)]
            return list(_table(found, Members(servers)))

    for text in asyncio.run(load()):
        print(text)
    return 0


def _table(entries: Sequence[CatalogEntry], members: Members) -> Iterable[str]:
    """A line for each tool: its id, how a cell calls it, and what it is for. Servers choose their words."""
    rows = [(shown(entry.id, 80), _call(entry, members), shown(entry.description, MAX_DESCRIPTION_CHARS)) for entry in entries]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    for id, call, description in rows:
        yield f"{id:{widths[0]}}  {call:{widths[1]}}  {description}".rstrip()


def _call(entry: CatalogEntry, members: Members) -> str:
    if entry.tool.kind == "mcp":
        return f"{members.of(entry.tool.owner, entry.name)}(input)"
    return f"{entry.bare_name}({entry.input_hint})"
