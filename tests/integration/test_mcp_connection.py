"""Connections to real MCP servers over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest
import pytest_asyncio

from toolcell.catalog import CallContext, Catalog, ToolResult
from toolcell.catalog.failure import CallFailedError
from toolcell.errors import ConfigError, ToolInputError
from toolcell.mcp import McpConnections, McpServer

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGED = McpServer.stdio("paged", [sys.executable, str(Path(__file__).parent / "servers/paged.py")])
CONTEXT = CallContext(call_id="cell/1", tool_id="mcp:paged:echo")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def connections() -> AsyncIterator[McpConnections]:
    opened = await McpConnections.open([PAGED])
    yield opened
    await opened.close()


async def call(connections: McpConnections, name: str, given: Any = None) -> ToolResult:
    found = {tool.name: tool for tool in connections.tools}[name]
    return found.finish(await found.prepare(given, CONTEXT)())


async def test_all_pages_are_listed_and_names_that_can_stand_in_no_id_are_left_out(connections: McpConnections) -> None:
    assert [entry.id for entry in Catalog(connections.tools).tools] == [
        "mcp:paged:broken schema",
        "mcp:paged:echo",
        "mcp:paged:exit",
        "mcp:paged:fail",
        "mcp:paged:given",
        "mcp:paged:picture",
    ]


async def test_a_result_is_the_mcp_result_object(connections: McpConnections) -> None:
    result = await call(connections, "echo", {"word": "hi"})

    assert (result.is_error, result.details["structuredContent"]) == (False, {"said": "hi"})
    assert result.details["content"] == list(result.content) == [{"type": "text", "text": "hi"}]
    assert result.details["isError"] is False


async def test_is_error_makes_a_failed_call(connections: McpConnections) -> None:
    result = await call(connections, "fail")

    assert (result.is_error, result.content) == (True, ({"type": "text", "text": "no such thing"},))


async def test_bytes_of_pictures_stay_outside(connections: McpConnections) -> None:
    result = await call(connections, "picture")
    picture = cast("dict[str, Any]", result.content[1])

    assert {key: picture[key] for key in ("type", "mimeType", "size")} == {"type": "image", "mimeType": "image/png", "size": 2}
    assert "data" not in picture


async def test_an_input_that_does_not_fit_never_reaches_the_server(connections: McpConnections) -> None:
    with pytest.raises(ToolInputError, match=r'^invalid input for echo: required but missing: "word"$'):
        await call(connections, "echo", {})
    with pytest.raises(ToolInputError, match="pass one object with named values"):
        await call(connections, "echo", "hi")


async def test_defaults_are_filled_in_unless_the_servers_own_schema_refuses_them(connections: McpConnections) -> None:
    all_fit = await call(connections, "given", {"odd": "x", "deep": {}})
    one_does_not_fit = await call(connections, "given", {"times": 1})

    assert all_fit.details["structuredContent"] == {"word": "hello", "times": 2, "odd": "x", "deep": {"on": True}}
    assert one_does_not_fit.details["structuredContent"] == {"times": 1}


async def test_a_schema_that_cannot_be_used_is_not_used(connections: McpConnections) -> None:
    result = await call(connections, "broken schema", {"word": 5})

    assert result.details["structuredContent"] == {"said": "5"}


async def test_calls_run_at_the_same_time(connections: McpConnections) -> None:
    results = await asyncio.gather(*(call(connections, "echo", {"word": str(number)}) for number in range(20)))

    assert [result.details["structuredContent"]["said"] for result in results] == [str(number) for number in range(20)]


async def test_a_server_that_dies_fails_its_calls_and_closes_cleanly() -> None:
    connections = await McpConnections.open([PAGED])

    with pytest.raises(CallFailedError, match=r"^MCP server paged was lost during the call; it may have taken effect$"):
        await call(connections, "exit")
    await connections.close()
    with pytest.raises(CallFailedError, match=r"^MCP server paged is unavailable: try again later$"):
        await call(connections, "echo", {"word": "hi"})


async def test_a_server_that_does_not_start_takes_no_other_down() -> None:
    missing = McpServer.stdio("missing", ["/nonexistent/server"])
    quits = McpServer.stdio("quits", [sys.executable, "-c", ""])

    connections = await McpConnections.open([missing, PAGED, quits])

    assert sorted(connections.failures) == ["missing", "quits"]
    assert connections.failures["missing"] == "/nonexistent/server can't be started: No such file or directory"
    assert (await call(connections, "echo", {"word": "hi"})).details["structuredContent"] == {"said": "hi"}
    await connections.close()


async def test_two_servers_with_one_name_are_refused_before_either_starts() -> None:
    with pytest.raises(ConfigError, match="two servers are called paged"):
        await McpConnections.open([PAGED, PAGED])
