"""MCP servers that want the host's time and memory, or an exception out of it."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import toolcell
from toolcell.mcp import connection

SERVER = Path(__file__).parent / "servers/greedy.py"


@asynccontextmanager
async def a_run(fault: str) -> AsyncGenerator[toolcell.Run]:
    server = toolcell.McpServer.stdio("greedy", [sys.executable, str(SERVER), fault])
    async with toolcell.CodeMode({"enabled": True}) as code_mode, code_mode.run(mcp=[server]) as run:
        yield run


async def test_names_that_are_other_names_hashes_leave_every_tool_a_function_of_its_own() -> None:
    async with a_run("hashes") as run:
        result = await run.exec("return Object.values(MCP.greedy).map(tool => typeof tool)")

    assert (result.status, result.value) == ("completed", ["function"] * 4)


async def test_a_list_whose_pages_are_long_marks_ends_at_the_first() -> None:
    async with a_run("cursors") as run:
        result = await run.exec("return Object.keys(MCP.greedy)")

    assert (result.status, result.value) == ("completed", ["speak"])


async def test_a_list_that_changes_whenever_it_is_asked_for_is_asked_for_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "RELIST_PAUSE_S", 600.0)
    monkeypatch.setattr(connection, "RELIST_S", 0.1)

    async with a_run("changes") as run:
        lists = [(await run.exec("return unwrap(await MCP.greedy.speak())")).value for _ in range(3)]

    assert lists[-1] in ("1", "2")


async def test_a_server_that_asks_without_reading_answers_is_disconnected() -> None:
    async with a_run("questions") as run:
        result = await run.exec("return MCP.greedy.speak().catch(error => error.code)")

    assert (result.status, result.value) == ("completed", "server_lost")
