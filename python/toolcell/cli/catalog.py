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
from toolcell.host_config import HostConfig
from toolcell.mcp.view import McpView
from toolcell.policy.policy import Policy, VisibleTool
from toolcell.untrusted import printable, printable_line

MAX_ID_CHARS = 80
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
            found = Catalog(visible, host_label=config.host_label, unlisted=connections.unlisted)
            view = McpView([server.name for server in connections.servers], found.tools, unlisted=connections.unlisted)
            if options.types:
                return [text for _, _, text in view.files]
            limit = config.max_search_limit
            entries = found.discoverable if options.search is None else found.find(options.search, limit, with_mcp=True)
            if options.json:
                return [printable(json.dumps([entry.compact() for entry in entries], ensure_ascii=False))]
            return list(_table(entries, view))

    for text in asyncio.run(load()):
        print(text)
    return 0


def _table(entries: Sequence[CatalogEntry], view: McpView) -> Iterable[str]:
    """A line for each tool: its id, how a cell calls it, and what it is for. Servers choose their words."""
    members = {id: f"MCP.{server}.{tool}(input)" for _, server, _, _, tools in view.namespaces for _, tool, _, id in tools}
    rows = [
        (
            printable_line(entry.id, MAX_ID_CHARS),
            members.get(entry.id) or f"{entry.bare_name}({entry.input_hint})",
            printable_line(entry.description, MAX_DESCRIPTION_CHARS),
        )
        for entry in entries
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    for id, call, description in rows:
        yield f"{id:{widths[0]}}  {call:{widths[1]}}  {description}".rstrip()
