"""What a model has to read: the ordinary list of tools of public MCP servers against ``exec`` and ``wait``.

Tokens of the vocabulary o200k, of name, description and input schema of each tool as JSON. The servers are those of
``tests/servers``, started here without network.

Usage:
    python -m benches.python.tokens
"""

from __future__ import annotations

import asyncio
import random
import string
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import toolcell
from benches.catalog import registered_tools, same
from toolcell.mcp import McpConnections, McpTool

FOLDER = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(FOLDER / "tests"))

from support.servers import public_servers  # noqa: E402
from support.tokens import count_tool_tokens  # noqa: E402

TOOLS = 10_000


async def main() -> None:
    """Print a row for each server, for all of them, and for catalogs of the host's own tools."""
    print(f"{'MCP server':<22}{'tools':>8}{'their list':>12}{'exec + wait':>13}{'fewer':>8}")
    with tempfile.TemporaryDirectory() as folder:
        servers = public_servers(Path(folder))
        tools = await list_tools(servers.values())
        async with toolcell.CodeMode(True) as code_mode:
            for names in [*([name] for name in servers), list(servers)]:
                listed = [tool for name in names for tool in tools[name]]
                shown = await shown_tokens(code_mode, mcp=[servers[name] for name in names])
                row(names[0] if len(names) == 1 else f"all {len(names)}", len(listed), count_tool_tokens(listed), shown)
            print(f"\n{'own tools':<22}{'tools':>8}{'their list':>12}{'exec + wait':>13}{'fewer':>8}")
            for title, own in {"none": [], "usual names": registered_tools(), "random names": randomly_named()}.items():
                row(title, len(own), count_tool_tokens(own), await shown_tokens(code_mode, tools=own))


async def list_tools(servers: Iterable[toolcell.McpServer]) -> dict[str, list[McpTool]]:
    """The tools of each server."""
    async with McpConnections(servers) as connections:
        await connections.ready()
        if connections.failures:
            sys.exit(f"not every server started: {connections.failures}")
        tools = [tool for tool in connections.tools if isinstance(tool, McpTool)]
        return {server.name: [tool for tool in tools if tool.owner == server.name] for server in connections.servers}


async def shown_tokens(code_mode: toolcell.CodeMode, **options: Any) -> int:
    """Tokens of what the model of a run is shown."""
    async with code_mode.run(force=True, **options) as run:
        return count_tool_tokens(run.model_tools)


def row(title: str, tools: int, listed: int, shown: int) -> None:
    """Print sizes, and how much smaller the second is."""
    fewer = f"{1 - shown / listed:>8.1%}" if shown < listed else f"{'-':>8}"
    print(f"{title:<22}{tools:>8,}{listed:>12,}{shown:>13,}{fewer}")


def randomly_named() -> Sequence[toolcell.Tool]:
    """Tools that are called anything: the most tokens for their length."""
    chance = random.Random(1)

    def word(length: int) -> str:
        return "".join(chance.choices(string.ascii_letters + string.digits, k=length))

    return [
        toolcell.tool(
            name=f"t{number}{word(12)}",
            description="",
            input_schema={"type": "object", "properties": {word(6): {"type": "string"}}, "additionalProperties": False},
            raw_input=True,
        )(same)
        for number in range(TOOLS)
    ]


if __name__ == "__main__":
    asyncio.run(main())
