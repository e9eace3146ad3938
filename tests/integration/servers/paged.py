"""An MCP server on standard input and output whose list of tools has three pages."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

ANY: dict[str, Any] = {"type": "object"}
WORD = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"], "additionalProperties": False}
BROKEN = {"type": "object", "properties": {"word": {"$ref": "file:///etc/hostname"}}}

PAGES: dict[str | None, tuple[list[types.Tool], str | None]] = {
    None: ([types.Tool(name="echo", title="Echo", description="Says it again.", input_schema=WORD)], "2"),
    "2": (
        [
            types.Tool(name="fail", input_schema=ANY),
            types.Tool(name="broken schema", input_schema=BROKEN),
            types.Tool(name="bad\nname", input_schema=ANY),
        ],
        "3",
    ),
    "3": ([types.Tool(name="picture", input_schema=ANY), types.Tool(name="exit", input_schema=ANY)], None),
}


async def list_tools(_: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    tools, following = PAGES[params.cursor if params else None]
    return types.ListToolsResult(tools=tools, next_cursor=following)


async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    text = types.TextContent(text=str((params.arguments or {}).get("word", "no word")))
    match params.name:
        case "fail":
            return types.CallToolResult(content=[types.TextContent(text="no such thing")], is_error=True)
        case "picture":
            return types.CallToolResult(content=[text, types.ImageContent(data="aGk=", mime_type="image/png")])
        case "exit":
            os._exit(3)
        case _:
            return types.CallToolResult(content=[text], structured_content={"said": text.text})


async def main() -> None:
    server: Server[Any] = Server("paged", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


asyncio.run(main())
