"""The demo: two real MCP servers, three Python tools, and cells that join, fail, wait, move to another process and loop.

Run: ``make demo``, or ``python examples/demo`` where toolcell, ``mcp-server-git`` and ``mcp-server-time`` are installed.
"""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterable
from pathlib import Path

import cells
import repository
import shop
from bpe_openai.tokenizer import build_encoding_from_name  # pyright: ignore[reportMissingTypeStubs]
from stage import Act, watch

import toolcell
from toolcell.mcp import McpConnections
from toolcell.surface import ModelTool

HOST = Path(__file__).with_name("host.py")


async def main(folder: Path) -> None:
    """Play all scenes and print the table."""
    path = repository.make(folder)
    git = toolcell.McpServer.stdio("git", [sys.executable, "-m", "mcp_server_git", "--repository", str(path)])
    time = toolcell.McpServer.stdio("time", [sys.executable, "-m", "mcp_server_time", "--local-timezone", "UTC"])
    tools = shop.tools(folder / "outbox.txt")
    acts: dict[str, Act] = {}
    async with (
        McpConnections([git, time]) as servers,
        toolcell.CodeMode(True) as code_mode,
        code_mode.run(tools=tools, mcp=servers) as run,
    ):
        await servers.ready()  # else the first cell would wait for them
        for title, code in [("Search, call, join", cells.join(str(path))), ("A call that fails", cells.CATCH)]:
            scene(title, code)
            acts[title] = show(await watch(run, run.exec({"code": code})))
        catalog = [ModelTool.of(entry.tool) for entry in run.catalog.discoverable]
        print(f"\n{len(catalog)} tools are in the catalog; the model sees {len(run.model_tools)}: exec and wait.")
        tokens = count_tokens(run.model_tools), count_tokens(catalog)
    acts |= killed_host(folder)
    async with toolcell.CodeMode({"enabled": True, "timeoutMs": 500}) as code_mode, code_mode.run(tools=tools) as run:
        for title, code in [("An endless loop", cells.ENDLESS), ("A stubborn one", cells.STUBBORN), ("After that", cells.AFTER)]:
            scene(title, code)
            acts[title] = show(await watch(run, run.exec({"code": code})))
    table(acts, *tokens)


def killed_host(folder: Path) -> dict[str, Act]:
    """A cell waits for a person in one process, which is killed; another process finishes it."""
    title = "A cell that waits for a person"
    scene(title, cells.APPROVAL)
    with subprocess.Popen([sys.executable, HOST, "begin", folder], stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        began = show(Act(**json.loads(first.stdout.readline())), f"process {first.pid}")
        first.send_signal(signal.SIGKILL)
    print(f"  process {first.pid} killed (SIGKILL); the cell is in cells.db; a person approves")
    arguments = [str(began.run_id), *began.pending]
    with subprocess.Popen([sys.executable, HOST, "finish", folder, *arguments], stdout=subprocess.PIPE, text=True) as second:
        assert second.stdout is not None
        ended = show(Act(**json.loads(second.stdout.readline())), f"process {second.pid}")
    print(f"  outbox: {(folder / 'outbox.txt').read_text().strip()}")
    return {title: began, "... finished elsewhere": ended}


def scene(title: str, code: str) -> None:
    """Print the heading and the cell."""
    print(f"\n== {title} ==\n{textwrap.indent(code.rstrip(), '  | ')}")


def show(act: Act, place: str | None = None) -> Act:
    """Print what happened."""
    prefix = f"  {place}: " if place else "  "
    for line in [*act.events, *act.result.splitlines()]:
        print(f"{prefix}{line.strip()}")
    return act


def table(acts: dict[str, Act], shown: int, schemas: int) -> None:
    """Print calls, times and sizes of all scenes, and what the model has to read."""
    print(f"\n{'cell':<32}{'calls':>6}{'time':>10}{'continuation':>15}")
    for title, act in acts.items():
        size = f"{act.continuation_bytes:,} B" if act.continuation_bytes else "-"
        print(f"{title:<32}{act.calls:>6}{act.milliseconds:>7.0f} ms{size:>15}")
    print(f"\nTokens (o200k) of exec and wait: {shown:,}; of the schemas of all tools: {schemas:,}")


def count_tokens(tools: Iterable[ModelTool]) -> int:
    """Tokens of tools as a provider gets them."""
    wire = [{"name": tool.name, "description": tool.description, "parameters": tool.input_schema} for tool in tools]
    return len(build_encoding_from_name("o200k_base").encode(json.dumps(wire)))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        asyncio.run(main(Path(temporary)))
