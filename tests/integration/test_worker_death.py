"""Workers that die: each costs exactly its own cell."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Any

import pytest

import toolcell
from toolcell.executor.quickjs import QuickJsExecutor


def worker_pids(run: toolcell.Run) -> list[int]:
    executor = run.code_mode.executor
    assert isinstance(executor, QuickJsExecutor)
    return [executor.pool.pid(worker) for worker in executor.live_workers()]


async def end(pids: list[int]) -> None:
    """Kill processes and return when they are gone."""
    loop = asyncio.get_running_loop()
    for pid in pids:
        descriptor = os.pidfd_open(pid)
        gone = asyncio.Event()
        loop.add_reader(descriptor, gone.set)
        os.kill(pid, signal.SIGKILL)
        await gone.wait()
        loop.remove_reader(descriptor)
        os.close(descriptor)


@pytest.mark.parametrize("where", ["guest", "waiting"])
async def test_a_killed_worker_fails_its_cell_keeps_its_output_and_the_next_cell_runs(hosts: Any, where: str) -> None:
    calls = 0
    called, go = asyncio.Event(), asyncio.Event()

    @toolcell.tool
    async def step() -> None:
        nonlocal calls
        calls += 1
        called.set()
        await go.wait()

    run = await hosts.run(step, config={"timeoutMs": 60_000})
    running = asyncio.create_task(run.exec({"code": "text('before'); await step(); for (;;);"}))
    await called.wait()
    (pid,) = worker_pids(run)
    if where == "guest":
        go.set()
        await asyncio.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    go.set()
    result = await running
    after = await run.exec({"code": "return 1"})

    assert (result.code, result.reason, result.output) == (
        "runtime_unavailable",
        "worker_crashed",
        [toolcell.TextOutput(text="before")],
    )
    assert ([(c.tool, c.outcome) for c in result.calls or ()], calls, after.value) == ([("step", "ok")], 1, 1)


async def test_a_worker_that_dies_while_idle_costs_nothing(hosts: Any) -> None:
    @toolcell.tool
    async def noop() -> None:
        return None

    run = await hosts.run(noop)
    values = list[object]()
    for _ in range(5):
        values.append((await run.exec({"code": "return 1"})).value)
        await end(worker_pids(run))

    assert values == [1] * 5


async def test_a_suspended_cell_outlives_its_worker(hosts: Any) -> None:
    @toolcell.tool
    async def noop() -> None:
        return None

    run = await hosts.run(noop)
    cell = await run.exec({"code": "await yield_control(); return 7"})
    await end(worker_pids(run))

    assert (await run.wait({"runId": cell.run_id})).value == 7
