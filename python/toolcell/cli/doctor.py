"""``toolcell doctor``."""

from __future__ import annotations

import argparse
import asyncio
import platform
from pathlib import Path

from toolcell import _native
from toolcell.errors import RuntimeUnavailableError
from toolcell.executor.quickjs import QuickJsExecutor
from toolcell.executor.worker_path import find_worker


def doctor(options: argparse.Namespace) -> int:
    """Check that the worker is there, starts and is locked down."""
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
