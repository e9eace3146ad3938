"""The tools of a run as its servers come and change, with a fake connection to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import toolcell
from support.runs import add, upper
from toolcell.catalog import Tool
from toolcell.catalog.namespaces import Namespaces
from toolcell.errors import ConfigError, ToolDefinitionError
from toolcell.mcp import McpConnections, McpMethod, McpServer, McpTool
from toolcell.runtime.effective_tools import EffectiveTools
from toolcell.runtime.learned_types import LearnedTypes


async def never(*_: object) -> dict[str, Any]:
    """Stands for a server that is not asked."""
    raise NotImplementedError


def remote(name: str, server: str = "s") -> McpTool:
    return McpTool(server=server, name=name, description="", label=None, input_schema={}, output_schema=None, request=never)


class Connections(McpConnections):
    """Connections that know what a test says."""

    def __init__(self, *names: str) -> None:
        super().__init__([McpServer.stdio(name, ["none"]) for name in names])
        self.known: list[McpTool | McpMethod] = []
        self.asked = 0

    @property
    def tools(self) -> list[McpTool | McpMethod]:
        return self.known

    @property
    def unlisted(self) -> list[str]:
        return [server.name for server in self.servers if all(tool.owner != server.name for tool in self.known)]

    async def ready(self) -> None:
        self.asked += 1

    def change(self, *tools: McpTool | McpMethod) -> None:
        self.known = list(tools)
        self.version += 1


def effective(
    mcp: Sequence[McpServer] | McpConnections = (),
    tools: Sequence[Tool] = (add, upper),
    policy: toolcell.Policy | None = None,
    namespaces: Namespaces | None = None,
    learned: LearnedTypes | None = None,
) -> EffectiveTools:
    return EffectiveTools(tools, mcp, namespaces or {}, policy or toolcell.Policy(), "host", None, learned)


def ids(tools: EffectiveTools) -> list[str]:
    return [entry.id for entry in tools.catalog.tools]


async def test_nothing_is_asked_before_connect_and_the_servers_are_known_by_name() -> None:
    connections = Connections("s", "down")
    tools = effective(connections)

    assert (connections.asked, tools.servers, tools.any, ids(tools)) == (
        0,
        ["s", "down"],
        True,
        ["host:core:add", "host:core:upper"],
    )
    assert [row[1:4] for row in tools.guest_catalog().namespaces] == [("s", "s", False), ("down", "down", False)]


async def test_tools_are_taken_over_when_they_have_changed_and_only_then() -> None:
    connections = Connections("s", "down")
    tools = effective(connections)
    connections.change(remote("find"), McpMethod("s", "resources/list", never))
    first, again = await tools.connect(), await tools.connect()
    seen, namespaces = ids(tools), tools.guest_catalog().namespaces
    connections.change(remote("other"))

    assert (first, again, await tools.connect()) == (True, False, True)
    assert seen == ["host:core:add", "host:core:upper", "mcp:s:find", "mcp:s:resources/list"]
    assert [(row[1], row[3], len(row[4])) for row in namespaces] == [("s", True, 2), ("down", False, 0)]
    assert ids(tools)[2:] == ["mcp:s:other"]
    assert [path for path, _, _ in tools.guest_catalog().files] == ["mcp/index.d.ts", "mcp/s.d.ts"]


async def test_what_the_policy_hides_is_in_nothing_that_a_cell_gets() -> None:
    connections = Connections("s")
    connections.change(remote("find"), remote("hidden"), McpMethod("s", "prompts/get", never))
    policy = toolcell.Policy(deny=["mcp:s:hidden", "mcp:s:prompts/*", "host:core:upper"])
    tools = effective(connections, policy=policy, namespaces={"texts": {"up": "upper"}})
    await tools.connect()
    guest = tools.guest_catalog()

    assert ids(tools) == ["host:core:add", "mcp:s:find"]
    assert [word in str(guest) for word in ("hidden", "namespace prompts", "upper", "'up'")] == [False] * 4


async def test_what_is_learned_is_in_the_next_files() -> None:
    connections = Connections("s")
    connections.change(remote("find"))
    tools = effective(connections, learned=LearnedTypes())
    await tools.connect()
    before = tools.guest_catalog().files[1][2]
    entry = tools.catalog.resolve_mcp("mcp:s:find")
    tools.observe(entry, {"structuredContent": {"n": 1}})
    changed, again = await tools.connect(), await tools.connect()

    assert (changed, again, "observed" in before) == (True, False, False)
    assert "/** observed */ {\n    n: number;\n  }" in tools.guest_catalog().files[1][2]


async def test_shared_connections_are_left_open_and_a_runs_own_are_closed() -> None:
    closed: list[str] = []

    class Closing(Connections):
        async def close(self) -> None:
            closed.append("shared")

    await effective(Closing("s")).close()
    own = effective([McpServer.stdio("s", ["none"])])
    await own.close()

    assert (closed, await own.connect()) == ([], False)


async def test_a_run_without_servers_connects_to_nothing() -> None:
    tools = effective()

    assert (await tools.connect(), tools.servers, tools.guest_catalog().files) == (False, [], [])
    assert not effective(tools=[]).any


def test_two_servers_or_tools_of_one_name_are_refused() -> None:
    server = McpServer.stdio("s", ["none"])

    with pytest.raises(ConfigError, match="two servers are called s"):
        effective([server, server])
    with pytest.raises(ToolDefinitionError, match="two tools have the id host:core:add"):
        effective(tools=[add, add])
