"""A database that is locked, full, read-only or damaged: a clear error, and no cell lost or run twice."""

from __future__ import annotations

import asyncio
import os
import resource
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import AbstractContextManager, AsyncExitStack, closing, contextmanager
from pathlib import Path

import pytest

import toolcell
from toolcell.store import SqliteStore, sqlite

KEY = b"k" * 32
SCOPE = toolcell.Scope("agent", "session", "key", "run")
NOBODY = 65_534
CODE = "const kept = Array.from({length: 3000}, Math.random); await yield_control(); await record({n: 1}); return kept.length"
"""Its continuation has some 30 KiB that don't compress."""


class Hosts:
    """Hosts over one database, and what their tool recorded."""

    def __init__(self, stack: AsyncExitStack, path: Path) -> None:
        self.path = path
        self.seen: list[int] = []
        self._stack = stack

    async def open(self) -> toolcell.Run:
        @toolcell.tool
        async def record(n: int) -> None:
            self.seen.append(n)

        pick = toolcell.ClientTool(name="pick")
        code_mode = await self._stack.enter_async_context(toolcell.CodeMode(store=SqliteStore(self.path, key=KEY)))
        run = code_mode.run(tools=[record], client_tools=[pick], force=True, scope=SCOPE)
        return await self._stack.enter_async_context(run)

    async def resume(self, cell: toolcell.CellResult) -> toolcell.CellResult:
        """Go on with a cell in a new host."""
        run = await self.open()
        return await run.wait({"runId": cell.run_id})

    async def close(self) -> None:
        await self._stack.aclose()


@pytest.fixture
async def hosts(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Hosts]:
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_MS", 50)
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            yield Hosts(stack, Path(folder) / "cells.db")


@contextmanager
def locked(path: Path) -> Generator[None]:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield


@contextmanager
def full(path: Path) -> Generator[None]:
    """No file of this process may grow beyond what the database has now."""
    largest = max(file.stat().st_size for file in path.parent.iterdir())
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (max(largest, 40_000), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def read_only(path: Path) -> Generator[None]:
    """The folder and its files belong to another user, and who runs the test is not root."""
    is_root = os.geteuid() == 0
    places = [path, path.parent]
    modes = [place.stat().st_mode for place in places]
    path.chmod(0o444)
    path.parent.chmod(0o555)
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        for place, mode in zip(places, modes, strict=True):
            place.chmod(mode)


@contextmanager
def damaged(path: Path) -> Generator[None]:
    """All pages but the first hold something else."""
    good = path.read_bytes()
    path.write_bytes(good[:4096] + bytes(range(256)) * ((len(good) - 4096) // 256))
    try:
        yield
    finally:
        for rest in path.parent.glob("cells.db-*"):
            rest.unlink()
        path.write_bytes(good)


Fault = Callable[[Path], AbstractContextManager[None]]
WHILE_OPEN: dict[Fault, str] = {locked: "locked by another process", full: "check its disk|free space"}
AT_OPENING: dict[Fault, str] = {
    read_only: "right to write|may be read and written",
    damaged: "restore it from a backup",
    locked: "locked by another process",
}


@pytest.mark.parametrize("fault", WHILE_OPEN)
async def test_a_cell_that_can_not_be_stored_goes_on_in_its_process(hosts: Hosts, fault: Fault) -> None:
    run = await hosts.open()
    await run.exec({"code": "await yield_control()"})

    with fault(hosts.path), pytest.raises(toolcell.StoreError, match=WHILE_OPEN[fault]) as caught:
        await run.exec({"code": CODE})
    run_id = caught.value.__dict__["run_id"]
    result = await run.wait({"runId": run_id})
    again = await run.wait({"runId": run_id})

    assert (result.value, again.reason, hosts.seen) == (3000, "unknown_run", [1])


async def test_a_cell_that_was_not_stored_outlives_a_cancelled_wait_and_takes_a_clients_result(hosts: Hosts) -> None:
    run = await hosts.open()

    with locked(hosts.path), pytest.raises(toolcell.StoreError, match="locked") as caught:
        await run.exec({"code": "return await pick({})"})
    run_id = caught.value.__dict__["run_id"]
    waiting = asyncio.create_task(run.wait({"runId": run_id}))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    await run.deliver(run_id, f"{run_id}/1", value="picked")
    result = await run.wait({"runId": run_id})

    assert (waiting.cancelled(), result.value) == (True, "picked")


async def test_a_locked_database_can_not_give_a_cell_and_does_not_lose_it(hosts: Hosts) -> None:
    run = await hosts.open()
    cell = await run.exec({"code": CODE})

    with locked(hosts.path), pytest.raises(toolcell.StoreError, match="locked by another process"):
        await run.wait({"runId": cell.run_id})
    before = list(hosts.seen)
    result = await run.wait({"runId": cell.run_id})
    again = await run.wait({"runId": cell.run_id})

    assert (before, result.value, again.reason, hosts.seen) == ([], 3000, "unknown_run", [1])


@pytest.mark.parametrize("fault", AT_OPENING)
async def test_a_database_that_can_not_be_used_is_refused_and_its_cell_is_still_there_later(hosts: Hosts, fault: Fault) -> None:
    run = await hosts.open()
    cell = await run.exec({"code": CODE})
    await hosts.close()

    with fault(hosts.path), pytest.raises(toolcell.StoreError, match=AT_OPENING[fault]):
        await hosts.resume(cell)
    before = list(hosts.seen)
    await hosts.close()
    result = await hosts.resume(cell)

    assert (before, result.value, hosts.seen) == ([], 3000, [1])


async def test_a_damaged_database_never_runs_what_it_gives(hosts: Hosts) -> None:
    run = await hosts.open()
    cells = [str((await run.exec({"code": CODE})).run_id) for _ in range(3)]
    await hosts.close()
    good = hosts.path.read_bytes()
    outcomes = set[str | None]()

    for place in range(4096, len(good), 1024):  # one kilobyte at a time
        broken = bytearray(good)
        broken[place : place + 1024] = b"\xa5" * 1024
        for rest in hosts.path.parent.glob("cells.db-*"):
            rest.unlink()
        hosts.path.write_bytes(broken)
        try:
            later = await hosts.open()
            for cell_id in cells:
                result = await later.wait({"runId": cell_id})
                outcomes.add(result.reason)
                assert result.status != "completed" or (result.value, hosts.seen.pop()) == (3000, 1)
        except toolcell.StoreError:
            outcomes.add("store error")
        await hosts.close()

    # A call whose dispatch can't be written down is not dispatched: it fails, and with it the cell.
    assert outcomes <= {None, "snapshot_restore_failed", "unknown_run", "nested_tool_failed", "store error"}
    assert {"snapshot_restore_failed", "store error"} <= outcomes
    assert hosts.seen == []
