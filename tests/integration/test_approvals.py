"""A cell with twenty parallel calls of which three need a person."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import toolcell
from toolcell.results import PendingToolCall
from toolcell.store import SqliteStore

CODE = """
const calls = Array.from({length: 20}, (_, n) => n % 8 === 3 ? pay({amount: n}) : work({n}));
const settled = await Promise.allSettled(calls);
return settled.map(s => s.status === "fulfilled" ? s.value : s.reason.name);
"""
PAYMENTS = [3, 11, 19]
OTHERS = [n for n in range(20) if n not in PAYMENTS]
KEY = "k" * 32
SCOPE = toolcell.Scope("agent", "session", "key", "run")


class Office:
    """The tools, and what they did. ``work`` goes on once ``together`` calls of it run at the same time."""

    def __init__(self, together: int = 1) -> None:
        self.worked: list[int] = []
        self.paid: list[int] = []
        self.running = self.most = 0
        self._enough = asyncio.Event()
        self._together = together

    def tools(self) -> list[toolcell.Tool]:
        @toolcell.tool
        async def work(n: int) -> str:
            self.running += 1
            self.most = max(self.most, self.running)
            if self.running == self._together:
                self._enough.set()
            await self._enough.wait()
            self.worked.append(n)
            self.running -= 1
            return f"worked {n}"

        @toolcell.tool(requires_approval=True)
        async def pay(amount: int) -> str:
            self.paid.append(amount)
            return f"paid {amount}"

        return [work, pay]


def pending(result: toolcell.CellResult) -> list[PendingToolCall]:
    return [call for call in result.pending_tool_calls or () if call.tool == "pay"]


async def decide_all(run: toolcell.Run, run_id: str, ids: list[str]) -> None:
    """Edit the first, approve the second, deny the third."""
    await run.decide(run_id, ids[0], "edit", input={"amount": 300})
    await run.decide(run_id, ids[1], "approve")
    await run.decide(run_id, ids[2], "deny")


def expected() -> list[str]:
    decided = {3: "paid 300", 11: "paid 11", 19: "ToolDeniedError"}
    return [decided.get(n, f"worked {n}") for n in range(20)]


async def test_the_others_run_sixteen_at_a_time_while_three_calls_wait_for_a_person(hosts: Any) -> None:
    office = Office(together=16)
    run = await hosts.run(*office.tools(), config={"timeoutMs": 30_000, "maxPendingToolCalls": 16})

    asked = await run.exec({"code": CODE})
    assert asked.run_id is not None
    await decide_all(run, asked.run_id, [call.id for call in pending(asked)])
    result = await run.wait({"runId": asked.run_id})

    assert (asked.reason, [call.input for call in pending(asked)]) == ("approval", [{"amount": n} for n in PAYMENTS])
    assert (office.most, sorted(office.worked), office.paid) == (16, OTHERS, [300, 11])
    assert result.value == expected()


async def test_a_callback_that_outlasts_the_deadline_leaves_the_call_to_decide(hosts: Any) -> None:
    office = Office()
    never = asyncio.Event()

    async def approve(call: toolcell.ToolCall) -> str:
        await never.wait()
        return "approve"

    run = await hosts.run(*office.tools(), config={"timeoutMs": 300}, approve=approve)
    asked = await run.exec({"code": CODE})
    assert asked.run_id is not None
    still = await run.wait({"runId": asked.run_id})
    before = list(office.paid)
    await decide_all(run, asked.run_id, [call.id for call in pending(asked)])
    never.set()
    result = await run.wait({"runId": asked.run_id})

    assert (asked.reason, still.status, still.reason, before) == ("approval", "waiting", "approval", [])
    assert (sorted(office.worked), office.paid, result.value) == (OTHERS, [300, 11], expected())


PROGRAM = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
import test_approvals as office_of, toolcell
from toolcell.store import SqliteStore

async def main():
    office = office_of.Office()
    store = SqliteStore(sys.argv[2], key=office_of.KEY)
    async with toolcell.CodeMode({"timeoutMs": 500}, store=store) as code_mode:
        async with code_mode.run(tools=office.tools(), force=True, scope=office_of.SCOPE) as run:
            asked = await run.exec({"code": office_of.CODE})
            while len(office.worked) < 17:
                await asyncio.sleep(0)
            await code_mode.flush()
            print(asked.model_dump_json(by_alias=True, exclude_none=True), flush=True)
            await asyncio.Event().wait()

asyncio.run(main())
"""


def begin(tmp_path: Path) -> dict[str, Any]:
    """Run the cell in a process of its own, and kill that when all is written that waits for nobody."""
    arguments = [sys.executable, "-c", PROGRAM, str(Path(__file__).parent), str(tmp_path / "cells.db")]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        asked: dict[str, Any] = json.loads(process.stdout.readline())
        process.kill()
    return asked


async def test_decisions_in_another_process_after_the_first_was_killed_let_each_call_run_once(hosts: Any, tmp_path: Path) -> None:
    asked = begin(tmp_path)
    office = Office()
    store = SqliteStore(tmp_path / "cells.db", key=KEY)
    run = await hosts.run(*office.tools(), store=store, scope=SCOPE)

    ids = [call["id"] for call in asked["pendingToolCalls"] if call["tool"] == "pay"]
    await decide_all(run, asked["runId"], ids)
    result = await run.wait({"runId": asked["runId"]})
    again = await run.wait({"runId": asked["runId"]})

    assert (asked["reason"], result.value, again.reason) == ("approval", expected(), "unknown_run")
    assert (office.worked, office.paid) == ([], [300, 11])
