"""A cell that one process began and another finishes, after the first was killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import toolcell
from toolcell.store import SqliteStore
from toolcell.telemetry import CellResumed

KEY = "k" * 32
PROGRAM = """
import asyncio, json, sys
import toolcell
from toolcell.store import SqliteStore

code, path, log = sys.argv[1:4]

@toolcell.tool(requires_approval=True)
async def pay(amount: int) -> str:
    open(log, "a").write(f"pay {amount}\\n")
    return f"paid {amount}"

@toolcell.tool
async def look(n: int) -> int:
    open(log, "a").write(f"look {n}\\n")
    return n

@toolcell.tool
async def slow() -> str:
    open(log, "a").write("slow\\n")
    await asyncio.Event().wait()

async def main():
    scope = toolcell.Scope("agent", "session", "key", "run")
    async with toolcell.CodeMode({"timeoutMs": 500}, store=SqliteStore(path, key="k" * 32)) as code_mode:
        async with code_mode.run(tools=[pay, look, slow], force=True, scope=scope) as run:
            result = await run.exec({"code": code})
            print(json.dumps(result.model_dump(by_alias=True, exclude_none=True, mode="json")), flush=True)
            await asyncio.Event().wait()

asyncio.run(main())
"""

ABORT = """
import asyncio, sys
import toolcell
from toolcell.store import SqliteStore

async def main():
    scope = toolcell.Scope("agent", "session", "key", "run")
    async with toolcell.CodeMode(store=SqliteStore(sys.argv[1], key="k" * 32)) as code_mode:
        async with code_mode.run(scope=scope) as run:
            await run.abort(sys.argv[2])

asyncio.run(main())
"""


def begin(tmp_path: Path, code: str) -> dict[str, Any]:
    """Run ``code`` in a process of its own and kill that when the cell waits."""
    arguments = [sys.executable, "-c", PROGRAM, code, str(tmp_path / "cells.db"), str(tmp_path / "log")]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        result: dict[str, Any] = json.loads(process.stdout.readline())
        process.kill()
    return result


def log(tmp_path: Path) -> list[str]:
    return (tmp_path / "log").read_text().splitlines()


def tools(tmp_path: Path) -> list[toolcell.Tool]:
    def write(line: str) -> None:
        with (tmp_path / "log").open("a") as file:
            file.write(f"{line}\n")

    @toolcell.tool(requires_approval=True)
    async def pay(amount: int) -> str:
        write(f"pay {amount}")
        return f"paid {amount}"

    @toolcell.tool
    async def look(n: int) -> int:
        write(f"look {n}")
        return n

    @toolcell.tool
    async def slow() -> str:
        write("slow")
        return "done"

    return [pay, look, slow]


async def other_host(hosts: Any, tmp_path: Path, **options: Any) -> toolcell.Run:
    store = SqliteStore(tmp_path / "cells.db", key=KEY)
    scope = toolcell.Scope("agent", "session", "key", "run")
    return await hosts.run(*tools(tmp_path), store=store, scope=scope, **options)


async def test_a_cell_that_waits_for_a_person_is_finished_by_another_process(hosts: Any, tmp_path: Path) -> None:
    code = (
        "const n = await look({n: 41}); class C { #v = n; next() { return ++this.#v } }; const c = new C();"
        "const p = await pay({amount: 5}); return [c.next(), p]"
    )
    waiting = begin(tmp_path, code)
    run = await other_host(hosts, tmp_path)

    await run.decide(waiting["runId"], waiting["pendingToolCalls"][0]["id"], "edit", input={"amount": 7})
    result = await run.wait({"runId": waiting["runId"]})
    again = await run.wait({"runId": waiting["runId"]})

    assert (waiting["reason"], result.value, again.reason) == ("approval", [42, "paid 7"], "unknown_run")
    assert log(tmp_path) == ["look 41", "pay 7"]


async def test_a_call_in_flight_in_a_killed_process_is_unknown_and_not_repeated(hosts: Any, tmp_path: Path) -> None:
    waiting = begin(tmp_path, "try { return await slow() } catch (e) { return [e.name, e.code, e.tool] }")
    run = await other_host(hosts, tmp_path)

    result = await run.wait({"runId": waiting["runId"]})

    assert (waiting["reason"], result.value) == ("pending_tools", ["ToolError", "outcome_unknown", "slow"])
    assert log(tmp_path) == ["slow"]


async def test_no_worker_outlives_its_killed_host(tmp_path: Path) -> None:
    code = "await yield_control()"
    arguments = [sys.executable, "-c", PROGRAM, code, str(tmp_path / "cells.db"), str(tmp_path / "log")]
    process = await asyncio.create_subprocess_exec(*arguments, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    await process.stdout.readline()
    descriptors = [os.pidfd_open(pid) for pid in descendants(process.pid)]
    ended = [asyncio.Event() for _ in descriptors]
    for descriptor, event in zip(descriptors, ended, strict=True):
        asyncio.get_running_loop().add_reader(descriptor, event.set)

    process.send_signal(signal.SIGKILL)
    await process.wait()
    async with asyncio.timeout(1):
        for event in ended:
            await event.wait()

    for descriptor in descriptors:
        asyncio.get_running_loop().remove_reader(descriptor)
        os.close(descriptor)
    assert len(descriptors) > 0


def descendants(pid: int) -> list[int]:
    """Children of all threads of a process."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


async def test_a_guest_that_never_ends_is_aborted_by_another_process(tmp_path: Path) -> None:
    store, scope = SqliteStore(tmp_path / "cells.db", key=KEY), toolcell.Scope("agent", "session", "key", "run")
    async with (
        toolcell.CodeMode({"timeoutMs": 60_000}, store=store) as code_mode,
        code_mode.run(force=True, scope=scope) as run,
    ):
        cell = await run.exec("await yield_control(); for (;;);")
        assert cell.run_id is not None
        resumed = asyncio.Event()
        run.subscribe(lambda event: resumed.set() if isinstance(event, CellResumed) else None)
        waiting = asyncio.create_task(run.wait(cell.run_id))
        await resumed.wait()

        aborter = await asyncio.create_subprocess_exec(sys.executable, "-c", ABORT, str(tmp_path / "cells.db"), cell.run_id)
        result = await waiting

        assert (await aborter.wait(), result.code, result.reason) == (0, "aborted", "aborted")
