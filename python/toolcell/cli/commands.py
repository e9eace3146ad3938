"""What the commands do."""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import sys
from collections.abc import Callable
from pathlib import Path

from toolcell import _native
from toolcell.cli import inputs
from toolcell.errors import RuntimeUnavailableError
from toolcell.executor.quickjs import QuickJsExecutor
from toolcell.executor.worker_path import find_worker
from toolcell.results import CellResult
from toolcell.runtime.code_mode import CodeMode
from toolcell.runtime.run import Run

EXIT_CODES = {"completed": 0, "failed": 1, "waiting": 3}


def execute(options: argparse.Namespace) -> int:
    """``toolcell exec``."""
    code = inputs.read_code(options.file, options.code)
    arguments = {"code": code, "language": inputs.language_of(options.file, options.language)}

    async def run() -> CellResult:
        async with _code_mode(options) as code_mode, _run(code_mode, options) as entered:
            return await entered.exec(arguments)

    result = asyncio.run(run())
    if result.status == "waiting" and options.store is None:
        print("toolcell: the waiting cell is gone with this process; give --store to keep it", file=sys.stderr)
    return _report(result, as_json=options.json)


def wait(options: argparse.Namespace) -> int:
    """``toolcell wait``."""
    deliveries = [inputs.read_delivery(text) for text in options.deliver]
    if not Path(options.store).exists():
        raise inputs.UsageError(f"there is no store {options.store}")

    async def run() -> CellResult:
        async with _code_mode(options) as code_mode, _run(code_mode, options) as entered:
            for call_id in options.approve:
                await entered.decide(options.run_id, call_id, "approve")
            for call_id in options.deny:
                await entered.decide(options.run_id, call_id, "deny")
            for call_id, value in deliveries:
                await entered.deliver(options.run_id, call_id, value=value)
            return await entered.wait({"runId": options.run_id})

    return _report(asyncio.run(run()), as_json=options.json)


def catalog(options: argparse.Namespace) -> int:
    """``toolcell catalog``."""

    async def run() -> list[dict[str, object]]:
        async with CodeMode(inputs.read_config(options.config)) as code_mode:
            tools, servers = inputs.load_tools(options.tools), inputs.load_servers(options.mcp)
            async with code_mode.run(tools=tools, mcp=servers, config=False) as entered:
                if options.search is not None:
                    return await entered.search(options.search)
                return [entry.compact() for entry in entered.catalog.tools]

    entries = asyncio.run(run())
    if options.json:
        print(json.dumps(entries, ensure_ascii=False))
    for entry in [] if options.json else entries:
        print(f"{entry['id']}({entry['input']}) -> {entry.get('output', '?')}")
    return 0


def doctor(options: argparse.Namespace) -> int:
    """``toolcell doctor``."""
    print(f"toolcell {_native.__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}")
    try:
        path, _ = find_worker(None, _native.BUNDLED_WORKER_SHA256)
        print(f"worker    {path}")
        for line in asyncio.run(_examine()):
            print(line)
    except RuntimeUnavailableError as error:
        print(f"worker    unavailable: {error}")
        return 1
    return 0


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


def _code_mode(options: argparse.Namespace) -> CodeMode:
    return CodeMode(inputs.read_config(options.config), store=inputs.open_store(options.store), warm_workers=1)


def _run(code_mode: CodeMode, options: argparse.Namespace) -> Run:
    return code_mode.run(
        tools=inputs.load_tools(options.tools),
        mcp=inputs.load_servers(options.mcp),
        scope=inputs.scope_of(options.session),
        force=True,
    )


def _report(result: CellResult, *, as_json: bool) -> int:
    print(result.model_dump_json(by_alias=True, exclude_none=True) if as_json else result)
    return EXIT_CODES[result.status]


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "exec": execute,
    "wait": wait,
    "catalog": catalog,
    "doctor": doctor,
}
