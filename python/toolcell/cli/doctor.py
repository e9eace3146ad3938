"""``toolcell doctor``."""

from __future__ import annotations

import argparse
import asyncio
import platform
from pathlib import Path

from toolcell import _native
from toolcell.cli import inputs
from toolcell.errors import RuntimeUnavailableError
from toolcell.executor.quickjs import QuickJsExecutor
from toolcell.executor.worker_path import find_worker
from toolcell.mcp import McpConnections, ServerState
from toolcell.untrusted import printable_line

MAX_STATE_CHARS = 400


def doctor(options: argparse.Namespace) -> int:
    """Check that the worker is there, starts and is locked down, and that MCP servers can be reached."""
    print(f"toolcell {_native.__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}")
    try:
        path, _ = find_worker(None, _native.BUNDLED_WORKER_SHA256)
        print(f"worker    {path}")
        for line in asyncio.run(_examine()):
            print(line)
    except RuntimeUnavailableError as error:
        print(f"worker    unavailable: {error}")
        return 1
    states = asyncio.run(_try(options.mcp))
    for state in states:
        print(f"mcp       {_line(state)}")
    return 1 if any(state.status != "connected" for state in states) else 0


async def _try(file: str | None) -> list[ServerState]:
    """Connect to the servers of a configuration file."""
    async with McpConnections(inputs.load_servers(file)) as connections:
        await connections.ready()
        return connections.states()


def _line(state: ServerState) -> str:
    """What is known of a server in one line, the end of what it said on standard error included if it failed."""
    if state.status == "connected":
        return f"{state.name}: connected, protocol {state.protocol_version}, {state.tools} tools"
    said = state.stderr.strip().rpartition("\n")[2]
    return printable_line(f"{state.name}: {state.status}: {state.reason}{f'; it said: {said}' if said else ''}", MAX_STATE_CHARS)


async def _examine() -> list[str]:
    """Start a worker and look at it from outside."""
    executor = QuickJsExecutor(warm=1)
    await executor.open()
    try:
        worker = await executor.lease()
        if not _is_locked_down(executor.pool.pid(worker)):
            raise RuntimeUnavailableError("the worker runs without its system-call filter; don't use it")
        executor.release(worker)
        return ["started   yes", "sandbox   active (system-call filter, no new privileges)"]
    finally:
        await executor.close()


def _is_locked_down(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    return fields.get("Seccomp") == "2" and fields.get("NoNewPrivs") == "1"
