"""A server made with the official package, whichever version is installed: ``official.py [PORT]`` speaks HTTP with a port."""

# pyright: basic, reportInvalidTypeForm=false
from __future__ import annotations

import asyncio
import importlib
import sys
from typing import Any

from pydantic import BaseModel

try:
    framework: Any = importlib.import_module("mcp.server.mcpserver")
    new_server, options = framework.MCPServer, {}
except ImportError:
    framework = importlib.import_module("mcp.server.fastmcp")
    new_server, options = framework.FastMCP, {"port": int(sys.argv[1])} if len(sys.argv) > 1 else {}
types: Any = importlib.import_module("mcp.types")
Context: Any = framework.Context
server: Any = new_server("official", **options)


class Colour(BaseModel):
    """What is asked of a person."""

    colour: str


@server.tool()
def add(a: int, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def missing(word: str | None = None) -> str:
    """Say whether a word was given."""
    return "none" if word is None else word


@server.tool()
async def slow(ctx: Context, seconds: float = 0.3) -> str:
    """Take a while, and say how far it is."""
    await ctx.report_progress(1, 2, "half")
    await asyncio.sleep(seconds)
    return "slept"


@server.tool()
async def ask(ctx: Context) -> str:
    """Ask a person."""
    answer = await ctx.elicit("Which colour?", Colour)
    return answer.data.colour if answer.action == "accept" else answer.action


@server.tool()
async def think(ctx: Context) -> str:
    """Ask a model."""
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text="Why?"))
    answer = await ctx.session.create_message([message], max_tokens=9)
    return answer.content.text


@server.tool()
async def grow(ctx: Context) -> str:
    """Get another tool."""
    server.add_tool(lambda: "grown", name="grown")
    await ctx.session.send_tool_list_changed()
    return "ok"


@server.tool()
def large(count: int) -> str:
    """Return a long text."""
    return "x" * count


@server.resource("memo://today")
def memo() -> str:
    """Something to read."""
    return "buy milk"


@server.prompt()
def greet(name: str) -> str:
    """Greet somebody."""
    return f"Say hello to {name}"


if len(sys.argv) > 1:
    server.run(transport="streamable-http", **({} if options else {"port": int(sys.argv[1])}))
else:
    server.run()
