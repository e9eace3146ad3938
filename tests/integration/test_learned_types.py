"""What results of MCP tools looked like, in the declarations that later cells read."""

from __future__ import annotations

import json
import sys
from typing import Any

import toolcell
from support.mcp_servers import SERVERS

PAGED = toolcell.McpServer.stdio("paged", [sys.executable, "-S", str(SERVERS / "paged.py")])


async def test_types_that_were_learned_are_in_the_files_of_later_cells(hosts: Any) -> None:
    run: toolcell.Run = await hosts.run(mcp=[PAGED])
    first = await run.exec("await MCP.paged.echo({word: 'secret'}); return API.read('mcp/paged.d.ts')")
    later = await run.exec("return [API.read('mcp/paged.d.ts'), (await MCP.paged.$api('echo')).header]")

    text, header = later.value
    shown = "McpToolResult</** observed */ {\n  said: string;\n}>"
    assert ("observed" in first.value, shown in header, "secret" in text) == (False, True, False)
    assert "/** observed */" in text


async def test_no_types_are_learned_if_the_host_does_not_want_it(hosts: Any) -> None:
    run: toolcell.Run = await hosts.run(mcp=[PAGED], config={"observedTypes": "off"})
    await run.exec("await MCP.paged.echo({word: 'hi'})")
    later = await run.exec("return [API.read('mcp/paged.d.ts'), await MCP.paged.$api()]")

    assert "observed" not in json.dumps(later.value)


async def test_types_are_learned_from_what_hooks_let_through(hosts: Any) -> None:
    class Shorten:
        def after_tool_call(self, call: toolcell.ToolCall, result: toolcell.ToolResult) -> toolcell.Replace:
            return toolcell.Replace({"content": [], "structuredContent": {"kept": 1}})

    run: toolcell.Run = await hosts.run(mcp=[PAGED], hooks=[Shorten()])
    await run.exec("await MCP.paged.echo({word: 'hi'})")
    later = await run.exec("return API.read('mcp/paged.d.ts')")

    assert ("kept: number;" in later.value, "said" in later.value) == (True, False)
