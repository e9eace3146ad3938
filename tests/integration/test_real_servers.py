"""Public MCP servers, started for real: what they list, how it is declared, and what a model has to read of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

import toolcell
from support.declared import compiler_says
from support.sdk import sdk_client
from support.servers import public_servers
from support.tokens import count_tool_tokens
from toolcell.mcp import McpConnections, McpServer, McpTool
from toolcell.mcp.declarations import DeclaredServer, DeclaredTool
from toolcell.mcp.members import members

pytestmark = pytest.mark.timeout(600)  # the first time they are installed

CELL = "return Object.fromEntries(API.list().map(({path}) => [path, API.read(path)]))"


class Listed(NamedTuple):
    """A tool as the official client and as toolcell see it; the fields are those of both."""

    name: str
    label: str | None
    description: str
    input_schema: Any
    output_schema: Any


class Seen(NamedTuple):
    """What is known of all servers, by their names; all of it from servers that ran."""

    by_sdk: dict[str, list[Listed]]
    tools: dict[str, list[McpTool]]
    files: dict[str, str]
    """Declaration files as a cell reads them."""
    tokens: dict[str, int]
    """Of what the model of a run is shown that has this server alone, or ``all``."""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    async def ask() -> Seen:
        ours = public_servers(tmp_path_factory.mktemp("ours"))
        theirs = public_servers(tmp_path_factory.mktemp("theirs"))
        async with toolcell.CodeMode({"maxOutputBytes": 1_000_000}) as code_mode, McpConnections(ours.values()) as connections:
            async with code_mode.run(mcp=connections, force=True) as run:
                result = await run.exec({"code": CELL})
                assert (connections.failures, result.error) == ({}, None)
                tokens = {"all": count_tool_tokens(run.model_tools)}
            for name, server in ours.items():
                async with code_mode.run(mcp=[server], force=True) as run:
                    tokens[name] = count_tool_tokens(run.model_tools)
        tools = [tool for tool in connections.tools if isinstance(tool, McpTool)]
        by_sdk = await asyncio.gather(*map(list_by_sdk, theirs.values()))
        return Seen(
            dict(zip(theirs, by_sdk, strict=True)),
            {name: [tool for tool in tools if tool.owner == name] for name in ours},
            result.value,
            tokens,
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


def test_every_tool_of_every_server_is_listed_as_by_the_official_client(seen: Seen) -> None:
    ours = {
        name: [Listed(tool.name, tool.label, tool.description, tool.input_schema, tool.output_schema) for tool in tools]
        for name, tools in seen.tools.items()
    }

    assert ours == seen.by_sdk
    assert len(ours) == 12
    assert min(map(len, ours.values())) >= 1
    assert sum(map(len, ours.values())) >= 180


def test_the_compiler_takes_every_declaration_file_with_a_call_of_each_tool(seen: Seen) -> None:
    servers = [
        DeclaredServer(server, member, declared(tools))
        for member, (server, tools) in zip(members(list(seen.tools)), seen.tools.items(), strict=True)
    ]

    assert seen.files.keys() == {"mcp/index.d.ts", *(server.path for server in servers)}
    assert compiler_says(servers, files=seen.files) == []


def declared(tools: Sequence[McpTool]) -> list[DeclaredTool]:
    return [
        DeclaredTool(tool.name, member, tool.description, tool.input_schema, tool.output_schema)
        for tool, member in zip(tools, members([tool.name for tool in tools]), strict=True)
    ]


def test_exec_and_wait_are_a_tenth_of_the_tokens_of_all_tools_together(seen: Seen) -> None:
    listed = count_tool_tokens(tool for tools in seen.by_sdk.values() for tool in tools)

    assert seen.tokens["all"] <= min(800, listed / 10)


def test_exec_and_wait_are_never_more_tokens_than_a_list_of_over_1200(seen: Seen) -> None:
    listed = {name: count_tool_tokens(tools) for name, tools in seen.by_sdk.items()}
    large = [name for name, tokens in listed.items() if tokens > 1_200]

    assert {name for name in large if seen.tokens[name] > listed[name]} == set()
    assert len(large) >= 6
