"""Workers killed at random moments under load: each kill costs exactly its own cell."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections import Counter
from typing import Any

import pytest

import toolcell
from toolcell.executor.quickjs import QuickJsExecutor

CELLS = {
    "guest": "text('before'); await step({id}); for (;;);",
    "settlement": "text('before'); for (;;) await step({id});",
    "parking": """
        text('before');
        const big = Array.from({length: 60000}, (_, i) => ({i}));
        await step({id});
        await yield_control();
        return big.length""",
}
WANTED = {"guest": 70, "settlement": 70, "parking": 60}
MAX_ATTEMPTS = 1_000
BYSTANDER = "let sum = 0; for (let i = 0; i < 5; i++) sum += (await Promise.all([echo({n: i}), echo({n: 1})]))[0]; return sum"


class Load:
    """A run with a tool that counts its calls by cell, and one that does not matter."""

    def __init__(self) -> None:
        self.calls = Counter[int]()
        self.called: dict[int, asyncio.Event] = {}

    def tools(self) -> list[toolcell.Tool]:
        @toolcell.tool
        async def step(id: int) -> None:
            self.calls[id] += 1
            self.called[id].set()

        @toolcell.tool
        async def echo(n: int) -> int:
            return n

        return [step, echo]


def workers(run: toolcell.Run) -> set[int]:
    executor = run.code_mode.executor
    assert isinstance(executor, QuickJsExecutor)
    return {executor.pool.pid(worker) for worker in executor.live_workers()}


async def kill_one(victims: toolcell.Run, load: Load, kind: str, id: int, randomly: random.Random) -> toolcell.CellResult:
    """Run a cell of a kind in a run of its own and kill its worker at a random moment after its first call."""
    load.called[id] = asyncio.Event()
    cell = asyncio.create_task(victims.exec({"code": f"const id = {id};\n{CELLS[kind]}"}))
    await load.called[id].wait()
    await asyncio.sleep(randomly.uniform(0, 0.006))
    for pid in workers(victims):
        os.kill(pid, signal.SIGKILL)
    return await cell


@pytest.mark.timeout(120)
async def test_each_kill_costs_its_own_cell_and_no_call_is_repeated(hosts: Any) -> None:
    randomly = random.Random(4)
    load = Load()
    config = {"timeoutMs": 60_000}
    victims: toolcell.Run = await hosts.run(*load.tools(), config=config)
    others: toolcell.Run = await hosts.run(*load.tools(), config=config)
    killed, wrong = Counter[str](), list[Any]()

    for id in range(MAX_ATTEMPTS):
        kinds = [kind for kind in WANTED if killed[kind] < WANTED[kind]]
        if not kinds:
            break
        kind = randomly.choice(kinds)
        result, other = await asyncio.gather(kill_one(victims, load, kind, id, randomly), others.exec({"code": BYSTANDER}))
        legs = result.telemetry.cell.legs
        if result.status == "waiting":  # parked before the kill: nothing was lost
            result = await victims.wait({"runId": result.run_id})
            fine = (result.value, load.calls[id]) == (60_000, 1)
        else:
            # The second leg of a parking cell ended with the yield: what died after that died while it was parked.
            killed[kind] += kind != "parking" or legs == 2
            fine = (result.code, result.reason, result.output) == (
                "runtime_unavailable",
                "worker_crashed",
                [toolcell.TextOutput(text="before")],
            )
            fine = fine and len(result.calls or ()) == load.calls[id]
        if not fine or other.value != 10:
            wrong.append((kind, result, other))
    after = await victims.exec({"code": "return 1"})

    assert (wrong, dict(killed), after.value) == ([], WANTED, 1)
