"""``toolcell exec``, ``toolcell wait`` and ``toolcell decide``."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from toolcell.cli import inputs
from toolcell.cli.imports import load_policy, load_tools
from toolcell.cli.servers import connected
from toolcell.results import CellResult
from toolcell.runtime.code_mode import CodeMode
from toolcell.runtime.run import Run
from toolcell.untrusted import printable

EXIT_CODES = {"completed": 0, "failed": 1, "waiting": 3}


def execute(options: argparse.Namespace) -> int:
    """Run a cell."""
    code = inputs.read_code(options.file, options.code)
    arguments = {"code": code, "language": inputs.language_of(options.file, options.language)}

    async def run() -> CellResult:
        async with _run(options) as entered:
            return await entered.exec(arguments)

    result = asyncio.run(run())
    if result.status == "waiting" and options.store is None:
        print("toolcell: the waiting cell is gone with this process; give --store to keep it", file=sys.stderr)
    return _report(result, as_json=options.json)


def wait(options: argparse.Namespace) -> int:
    """Go on with a cell, after decisions and results for its calls."""
    deliveries = [inputs.read_delivery(text) for text in options.deliver]

    async def run() -> CellResult:
        async with _run(options) as entered:
            await _decide(entered, options)
            for call_id, value in deliveries:
                await entered.deliver(options.run_id, call_id, value=value)
            return await entered.wait({"runId": options.run_id})

    _check_store(options)
    return _report(asyncio.run(run()), as_json=options.json)


def decide(options: argparse.Namespace) -> int:
    """Decide on calls of a cell that another process goes on with."""

    async def run() -> None:
        async with _run(options) as entered:
            await _decide(entered, options)

    _check_store(options)
    asyncio.run(run())
    return 0


async def _decide(run: Run, options: argparse.Namespace) -> None:
    for call_id in options.approve:
        await run.decide(options.run_id, call_id, "approve")
    for call_id in options.deny:
        await run.decide(options.run_id, call_id, "deny")


def _check_store(options: argparse.Namespace) -> None:
    if not Path(options.store).exists():
        raise inputs.UsageError(f"there is no store {options.store}")


@asynccontextmanager
async def _run(options: argparse.Namespace) -> AsyncGenerator[Run, None]:
    """A run of the tools, servers, store and session that the command line names."""
    store = inputs.open_store(options.store)
    tools = load_tools(options.tools)
    async with (
        CodeMode(inputs.read_config(options.config), store=store, warm_workers=1) as code_mode,
        connected(options.mcp) as connections,
        code_mode.run(
            tools=tools,
            mcp=connections,
            policy=load_policy(options.policy),
            scope=inputs.scope_of(options.session),
            force=True,
        ) as run,
    ):
        yield run


def _report(result: CellResult, *, as_json: bool) -> int:
    print(printable(result.model_dump_json(by_alias=True, exclude_none=True)) if as_json else result)
    return EXIT_CODES[result.status]
