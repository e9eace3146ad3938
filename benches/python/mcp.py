"""Calls of MCP servers from cells against the official client, in one run: ``python -m benches.python.mcp``.

What each number means is in ``benches/README.md``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import toolcell
from benches.python.measure import Row, Sample, in_turn, ratio, table
from benches.python.scenarios import Timing, check

FOLDER = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(FOLDER / "tests"))

from support.mcp_servers import faulty  # noqa: E402
from support.sdk import sdk_client  # noqa: E402
from support.servers import make_repository  # noqa: E402

GIT = toolcell.McpServer.stdio("git", [sys.executable, "-m", "mcp_server_git"])
PARALLEL_CALLS = 10
SLOW_MS = 200
IDLE_SERVERS = 10
LARGE_BYTES = 4_000_000


async def measure(blocks: int, only: str | None) -> list[Row]:
    """Run every scenario whose name contains ``only``."""
    scenarios: dict[str, Callable[[int], Awaitable[Row]]] = {
        "call": _call,
        "small": _small_call,
        "large": _large_result,
        "parallel": _parallel,
        "connect": _connect,
        "idle": _idle,
    }
    return [await scenario(blocks) for name, scenario in scenarios.items() if only is None or only in name]


async def _call(blocks: int) -> Row:
    async with _run(GIT) as run, sdk_client(GIT) as client, AsyncExitStack() as stack:
        repository = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "repository"
        make_repository(repository)
        given = {"repo_path": str(repository), "max_count": 10}
        cell = f"return unwrap(await MCP.git.gitLog({json.dumps(given)}))"
        wanted = (await run.exec(cell)).value

        async def theirs() -> Timing:
            return await _timed(client.call_tool("git_log", given), lambda result: result.content[0].text, wanted)

        return ratio("git_log", *await in_turn(_cell(run, cell, wanted), theirs, blocks=blocks, block=10), 1.15)


async def _small_call(blocks: int) -> Row:
    server, _ = faulty("quick")
    async with _run(server) as run, sdk_client(server) as client:

        async def theirs() -> Timing:
            return await _timed(client.call_tool("echo", {"a": 1}), lambda result: result.content[0].text, '{"a": 1}')

        ours = _cell(run, "return unwrap(await MCP.quick.echo({a: 1}))", {"a": 1})
        return ratio("a call that does nothing", *await in_turn(ours, theirs, blocks=blocks, block=20), 2.5)


async def _large_result(blocks: int) -> Row:
    server, _ = faulty("large")
    async with _run(server) as run, sdk_client(server) as client:
        given = {"bytes": LARGE_BYTES}

        async def theirs() -> Timing:
            return await _timed(client.call_tool("huge", given), lambda result: len(result.content[0].text), LARGE_BYTES)

        ours = _cell(run, f"return (await MCP.large.huge({json.dumps(given)})).content[0].text.length", LARGE_BYTES)
        return ratio("a result of 4 MB", *await in_turn(ours, theirs, blocks=blocks, block=2), 1.15)


async def _parallel(blocks: int) -> Row:
    server, _ = faulty("slow")
    async with _run(server) as run:
        all_calls = f"Promise.all(Array.from({{length: {PARALLEL_CALLS}}}, () => MCP.slow.slow({{ms: {SLOW_MS}}})))"
        ten = _cell(run, f"return (await {all_calls}).map(unwrap)", ["slept"] * PARALLEL_CALLS)
        one = _cell(run, f"return unwrap(await MCP.slow.slow({{ms: {SLOW_MS}}}))", "slept")
        return ratio("10 calls at once, each 200 ms", *await in_turn(ten, one, blocks=max(blocks // 3, 1), block=2), 1.15)


async def _connect(blocks: int) -> Row:
    async with toolcell.CodeMode() as code_mode:

        async def ours() -> Timing:
            async with code_mode.run(mcp=[GIT], force=True) as run:
                return await _cell(run, "return Object.keys(MCP.git).length > 0", True)()

        async def theirs() -> Timing:
            began = time.perf_counter()
            async with sdk_client(GIT) as client:
                tools = (await client.list_tools()).tools
                seconds = time.perf_counter() - began
            check(bool(tools), True)
            return Timing(seconds)

        return ratio("first cell, git server started", *await in_turn(ours, theirs, blocks=max(blocks // 3, 1), block=1), 1.15)


async def _idle(blocks: int) -> Row:
    servers = [faulty(f"server{index}")[0] for index in range(IDLE_SERVERS)]
    async with _run(*servers) as run, _run() as bare:
        sides = _cell(run, "return 1+1", 2), _cell(bare, "return 1+1", 2)
        return ratio(f"a cell without calls, {IDLE_SERVERS} servers", *await in_turn(*sides, blocks=blocks, block=20), 1.15)


@asynccontextmanager
async def _run(*servers: toolcell.McpServer) -> AsyncGenerator[toolcell.Run]:
    """A run with connected servers, which has a worker."""
    async with AsyncExitStack() as stack:
        code_mode = await stack.enter_async_context(toolcell.CodeMode())
        run = await stack.enter_async_context(code_mode.run(mcp=servers, force=True))
        await run.exec("return 1")
        yield run


def _cell(run: toolcell.Run, code: str, wanted: object) -> Sample:
    return lambda: _timed(run.exec(code), lambda result: result.value, wanted)


async def _timed(work: Awaitable[Any], value: Callable[[Any], object], wanted: object) -> Timing:
    began = time.perf_counter()
    result = await work
    seconds = time.perf_counter() - began
    check(value(result), wanted)
    return Timing(seconds)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benches.python.mcp", description=__doc__)
    parser.add_argument("--blocks", type=int, default=9, help="blocks of samples a scenario and side (9)")
    parser.add_argument("--only", help="part of a scenario's name: call, small, large, parallel, connect, idle")
    arguments = parser.parse_args()
    rows = asyncio.run(measure(arguments.blocks, arguments.only))
    print(", ".join(f"{name} {version(name)}" for name in ("toolcell", "mcp", "mcp-server-git")))
    print(table(rows, peer="compared with"))


if __name__ == "__main__":
    main()
