"""An MCP server on standard input and output whose list of tools has three pages."""

from __future__ import annotations

import os
from typing import Any

from rpc import Server, text, tool

WORD = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"], "additionalProperties": False}
BROKEN = {"type": "object", "properties": {"word": {"$ref": "file:///etc/hostname"}}}
DEFAULTS = {
    "type": "object",
    "properties": {
        "word": {"type": "string", "default": "hello"},
        "times": {"type": "integer", "default": 2},
        "odd": {"type": "string", "default": None},
        "deep": {"type": "object", "properties": {"on": {"type": "boolean", "default": True}}},
    },
}

PAGES: dict[str | None, dict[str, Any]] = {
    None: {"tools": [tool("echo", WORD, title="Echo", description="Says it again.")], "nextCursor": "2"},
    "2": {"tools": [tool("fail"), tool("broken schema", BROKEN), tool("bad\nname")], "nextCursor": "3"},
    "3": {"tools": [tool("picture"), tool("exit"), tool("given", DEFAULTS)]},
}


def call_tool(params: dict[str, Any], _: Any) -> dict[str, Any]:
    """Answer a call."""
    arguments: dict[str, Any] = params["arguments"]
    word = str(arguments.get("word", "no word"))
    match params["name"]:
        case "fail":
            return text("no such thing", isError=True)
        case "picture":
            picture = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
            return {"content": [{"type": "text", "text": word}, picture]}
        case "given":
            return text(arguments, structuredContent=arguments)
        case "exit":
            os._exit(3)
        case _:
            return text(word, structuredContent={"said": word})


def list_tools(params: dict[str, Any], _: Any) -> dict[str, Any]:
    """List a page of tools."""
    return PAGES[params.get("cursor")]


Server("paged", {"tools/list": list_tools, "tools/call": call_tool}, {"tools": {}}).run()
