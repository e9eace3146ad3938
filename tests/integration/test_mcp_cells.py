"""Cells that call the tools of a real MCP server."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import toolcell

PAGED = toolcell.McpServer.stdio("paged", [sys.executable, str(Path(__file__).parent / "servers/paged.py")])


async def test_a_cell_gets_the_mcp_result_object(hosts: Any) -> None:
    run = await hosts.run(mcp=[PAGED])
    result = await run.exec({"code": "const r = await tools.echo({word: 'hi'}); return [r.structuredContent, r.isError]"})

    assert result.value == [{"said": "hi"}, False]


async def test_an_error_of_the_server_is_thrown_and_can_be_caught(hosts: Any) -> None:
    run = await hosts.run(mcp=[PAGED])
    result = await run.exec({"code": "try { await tools.fail() } catch (e) { return [e.name, e.message, e.tool] }"})

    assert result.value == ["ToolError", "no such thing", "fail"]


async def test_bytes_of_a_picture_never_enter_a_cell(hosts: Any) -> None:
    run = await hosts.run(mcp=[PAGED])
    result = await run.exec({"code": "return (await tools.picture()).content[1]"})

    assert result.value == {"type": "image", "mimeType": "image/png"}


async def test_an_after_hook_may_replace_a_result_by_a_plain_value(hosts: Any) -> None:
    class Shorten:
        def after_tool_call(self, call: toolcell.ToolCall, result: toolcell.ToolResult) -> toolcell.Replace:
            return toolcell.Replace("short")

    run = await hosts.run(mcp=[PAGED], hooks=[Shorten()])

    assert (await run.exec({"code": "return await tools.echo({word: 'hi'})"})).value == "short"
