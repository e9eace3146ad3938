"""Public MCP servers, started for real: what they list, how it is declared, and what a model has to read of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, NamedTuple

import pytest

from support.declared import compiler_says
from support.sdk import sdk_client
from support.servers import public_servers
from support.tokens import count_tool_tokens
from toolcell.catalog import Catalog
from toolcell.config import CodeModeConfig
from toolcell.mcp import McpConnections, McpServer, McpTool
from toolcell.mcp.declarations import DeclaredServer, DeclaredTool
from toolcell.mcp.members import members
from toolcell.surface import Surface

pytestmark = pytest.mark.timeout(600)  # the first time they are installed


class Listed(NamedTuple):
    """A tool as the official client and as toolcell see it; the fields are those of both."""

    name: str
    label: str | None
    description: str
    input_schema: Any
    output_schema: Any


class Lists(NamedTuple):
    """All tools of all servers, by server."""

    sdk: dict[str, list[Listed]]
    toolcell: dict[str, list[McpTool]]


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> Lists:
    async def ask() -> Lists:
        ours = public_servers(tmp_path_factory.mktemp("ours"))
        theirs = public_servers(tmp_path_factory.mktemp("theirs"))
        async with McpConnections(ours.values()) as connections:
            await connections.ready()
            assert connections.failures == {}
            tools = [tool for tool in connections.tools if isinstance(tool, McpTool)]
        by_sdk = await asyncio.gather(*map(list_by_sdk, theirs.values()))
        return Lists(
            dict(zip(theirs, by_sdk, strict=True)),
            {name: [tool for tool in tools if tool.owner == name] for name in ours},
        )

    return asyncio.run(ask())


async def list_by_sdk(server: McpServer) -> list[Listed]:
    async with sdk_client(server) as client:
        page = await client.list_tools()
        tools = list(page.tools)
        while page.next_cursor is not None:
            page = await client.list_tools(cursor=page.next_cursor)
            tools += page.tools
    return [
        Listed(
            tool.name,
            tool.title or (tool.annotations and tool.annotations.title),
            tool.description or "",
            tool.input_schema,
            tool.output_schema,
        )
        for tool in tools
    ]


def test_every_tool_of_every_server_is_listed_as_by_the_official_client(lists: Lists) -> None:
    ours = {
        name: [Listed(tool.name, tool.label, tool.description, tool.input_schema, tool.output_schema) for tool in tools]
        for name, tools in lists.toolcell.items()
    }

    assert ours == lists.sdk
    assert len(ours) == 12
    assert min(map(len, ours.values())) >= 1
    assert sum(map(len, ours.values())) >= 180


def test_every_declaration_file_is_taken_by_the_compiler_with_a_call_of_each_tool(lists: Lists) -> None:
    names = members(list(lists.toolcell))
    servers = [
        DeclaredServer(server, member, [*declared(tools)], resources=True, prompts=True)
        for member, (server, tools) in zip(names, lists.toolcell.items(), strict=True)
    ]

    assert compiler_says(servers) == []


def declared(tools: list[McpTool]) -> Iterable[DeclaredTool]:
    for tool, member in zip(tools, members([tool.name for tool in tools]), strict=True):
        yield DeclaredTool(tool.name, member, tool.description, tool.input_schema, tool.output_schema)


def tokens_shown(tools: Iterable[McpTool]) -> int:
    return count_tool_tokens(Surface(Catalog(tools), CodeModeConfig()).model_tools)


def test_exec_and_wait_are_a_tenth_of_the_tokens_of_all_tools_together(lists: Lists) -> None:
    tools = [tool for tools in lists.toolcell.values() for tool in tools]
    listed = count_tool_tokens(tool for tools in lists.sdk.values() for tool in tools)

    assert tokens_shown(tools) <= 800
    assert tokens_shown(tools) <= listed / 10


def test_exec_and_wait_are_never_more_tokens_than_a_list_of_over_1200(lists: Lists) -> None:
    listed = {name: count_tool_tokens(tools) for name, tools in lists.sdk.items()}
    large = [name for name, tokens in listed.items() if tokens > 1_200]

    assert {name for name in large if tokens_shown(lists.toolcell[name]) > listed[name]} == set()
    assert len(large) >= 6
