"""A gateway over MCP servers: who shares a connection with whom."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError

import toolcell
from toolcell.gateway import Gateway
from toolcell.mcp import McpConnections

# Nothing but the standard library: what matters is which process answers.
SERVER = """
import json, os, sys

def answer(request):
    method = request["method"]
    if method == "initialize":
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "ids", "version": "1"}}
    if method == "tools/list":
        return {"tools": [{"name": "process_id", "inputSchema": {"type": "object"}}]}
    return {"content": [{"type": "text", "text": str(os.getpid())}]}

for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": answer(request)}), flush=True)
"""


@pytest.fixture
async def code_mode() -> AsyncIterator[toolcell.CodeMode]:
    async with toolcell.CodeMode() as opened:
        yield opened


@pytest.fixture
def server(tmp_path: Path) -> toolcell.McpServer:
    program = tmp_path / "server.py"
    program.write_text(SERVER)
    return toolcell.McpServer.stdio("my-ids", [sys.executable, str(program)])


async def process_ids(gateway: Gateway, sessions: int) -> list[Any]:
    """The process that answers each of several sessions."""
    found: list[Any] = []
    for number in range(sessions):
        async with gateway.sessions.use(f"session {number}") as session:
            found.append((await session.run.exec("return unwrap(await MCP.myIds.processId({}))")).value)
    return found


def is_alive(process_id: Any) -> bool:
    return Path(f"/proc/{process_id}").exists()


async def test_a_client_calls_tools_of_servers_behind_the_gateway(
    code_mode: toolcell.CodeMode, server: toolcell.McpServer
) -> None:
    async with Gateway(code_mode, mcp=[server]) as gateway, Client(gateway.server) as client:
        described = str((await client.list_tools()).tools[0].description)
        result = await client.call_tool("exec", {"code": "return [await MCP.myIds.processId({}), API.list().length]"})

    assert "MCP.myIds" in described
    assert "processId" not in described
    assert result.structured_content["value"][0]["content"][0]["type"] == "text"


async def test_sessions_share_one_connection_to_a_server_that_ends_with_the_gateway(
    code_mode: toolcell.CodeMode, server: toolcell.McpServer
) -> None:
    async with Gateway(code_mode, mcp=[server]) as gateway:
        found = await process_ids(gateway, 3)
        alive = is_alive(found[0])

    assert (len(set(found)), alive, is_alive(found[0])) == (1, True, False)


async def test_sessions_may_have_servers_of_their_own_that_end_with_them(
    code_mode: toolcell.CodeMode, server: toolcell.McpServer
) -> None:
    async with Gateway(code_mode, mcp=[server], own_servers=True) as gateway:
        first, second = await process_ids(gateway, 2)
        await gateway.end_session("session 0")
        alive = [is_alive(first), is_alive(second)]

    assert (first != second, alive, is_alive(second)) == (True, [False, True], False)


async def test_connections_that_the_host_has_stay_open(code_mode: toolcell.CodeMode, server: toolcell.McpServer) -> None:
    async with McpConnections([server]) as connections:
        async with Gateway(code_mode, mcp=connections) as gateway:
            [found] = await process_ids(gateway, 1)
        alive = is_alive(found)

    assert (alive, is_alive(found)) == (True, False)


async def test_a_call_of_a_server_that_needs_approval_is_asked_for_by_its_id(
    code_mode: toolcell.CodeMode, server: toolcell.McpServer
) -> None:
    asked: list[str] = []

    async def deny(context: object, params: Any) -> Any:
        asked.append(params.message)
        raise MCPError(-32_000, "nobody is there")

    policy = toolcell.Policy(ask=["mcp:my-ids:*"])
    gateway = Gateway(code_mode, mcp=[server], policy=policy)
    async with gateway, Client(gateway.server, mode="legacy", elicitation_callback=deny) as client:
        result = await client.call_tool("exec", {"code": "return await MCP.myIds.processId({})"})

    assert result.structured_content["reason"] == "approval"
    assert asked == ["A program wants to call mcp:my-ids:process_id with {}. Approve the call?"]
