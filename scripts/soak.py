"""Run many cells in one host process and watch what must not grow.

Of all cells at least 10 % are suspended and go on in another worker, 5 % call a tool that fails, 1 % run into the kill at
the hard deadline. Every result is checked. At intervals, when all lanes rest, a line is printed: resident memory of the
host and of the workers that have lived from the start, open descriptors, child processes.

Exit status 0: after the warm-up memory stayed within 5 %, descriptors and processes were constant, all results right.

Usage: python scripts/soak.py [--cells 100000] [--intervals 20] [--seed 1]
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import toolcell
from toolcell.executor.quickjs import QuickJsExecutor

LANES = 4
WARM_WORKERS = 2
WARM_UP_SHARE = 0.25
TOLERANCE = 0.05
SHARES = {"plain": 0.43, "calls": 0.20, "data": 0.17, "suspended": 0.13, "failing": 0.058, "killed": 0.012}
SETTLE_S = 10.0
"""How long the pool may take to bury and replace workers before a sample."""


@toolcell.tool
async def add(a: int, b: int) -> int:
    return a + b


@toolcell.tool
async def rows(n: int) -> list[dict[str, object]]:
    return [{"id": number, "name": f"item-{number:05}", "ok": True} for number in range(n)]


@toolcell.tool
async def refuse(n: int) -> None:
    raise ValueError(f"no {n}")


TOOLS = [add, rows, refuse]
CLASS = """
class Counter { #n = START; next() { return ++this.#n } }
const counter = new Counter();
counter.next();
await yield_control();
return counter.next();
"""


@dataclass(frozen=True)
class Sample:
    """What is watched. Memory in KiB."""

    host: int
    workers: int
    descriptors: int
    processes: int


@dataclass(frozen=True)
class Runs:
    """The runs of a lane."""

    steady: toolcell.Run
    """For the whole soak; its worker lives on."""
    passing: toolcell.Run
    """Each leg is a process of its own."""
    hasty: toolcell.Run
    """With a short time limit."""


async def run_cell(kind: str, n: int, runs: Runs) -> bool:
    """Run one cell; returns whether its result was right."""
    steady, passing = runs.steady, runs.passing
    match kind:
        case "plain":
            result = await steady.exec({"code": f"text('n is {n}'); return {n} + 1"})
            return result.value == n + 1
        case "calls":
            code = f"const all = await Promise.all([1, 2, 3].map(b => add({{a: {n}, b}}))); return add({{a: all[0], b: all[2]}})"
            return (await steady.exec({"code": code})).value == 2 * n + 4
        case "data":
            code = f"const all = await rows({{n: {n % 500}}}); return all.map(r => ({{...r, n: r.id * 2}}))"
            return len((await steady.exec({"code": code})).value) == n % 500
        case "failing":
            result = await steady.exec({"code": f"await refuse({{n: {n}}})"})
            return (result.reason, f"no {n}" in str(result.error)) == ("nested_tool_failed", True)
        case "suspended":
            code = CLASS.replace("START", str(n))
            waiting = await passing.exec({"code": code})
            result = await passing.wait({"runId": waiting.run_id})
            return (result.value, result.telemetry.cell.restored) == (n + 2, 1)
        case _:
            result = await runs.hasty.exec({"code": "return Array.prototype.reverse.call({length: 2 ** 53 - 1})"})
            return result.code == "timeout"  # on a starved machine even before it began


async def interval(code_mode: toolcell.CodeMode, steady: list[toolcell.Run], kinds: Iterable[str], first: int) -> list[str]:
    """Run cells of the given kinds in all lanes; returns what went wrong."""
    work = enumerate(kinds, first)
    wrong: list[str] = []

    async def lane(run: toolcell.Run) -> None:
        async with (
            code_mode.run(tools=TOOLS, force=True, config={"workerReuse": "never"}) as passing,
            code_mode.run(tools=TOOLS, force=True, config={"timeoutMs": 100}) as hasty,
        ):
            for n, kind in work:
                if not await run_cell(kind, n, Runs(run, passing, hasty)):
                    wrong.append(f"{kind} {n}")

    await asyncio.gather(*(lane(run) for run in steady))
    return wrong


async def sample(executor: QuickJsExecutor) -> Sample:
    """Look at the process while nothing runs."""
    lived = [executor.pool.pid(worker) for worker in executor.live_workers()]
    deadline = time.monotonic() + SETTLE_S
    while len(children()) != len(lived) + WARM_WORKERS and time.monotonic() < deadline:  # noqa: ASYNC110 nothing tells of it
        await asyncio.sleep(SETTLE_S / 100)
    gc.collect()
    workers = sum(resident_kib(pid) for pid in lived)
    return Sample(resident_kib(os.getpid()), workers, len(os.listdir("/proc/self/fd")), len(children()))


def resident_kib(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def children() -> list[int]:
    """Child processes of all threads, those that ended and were not waited for included."""
    tasks = Path("/proc/self/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def growth(samples: list[Sample]) -> list[str]:
    """Return what was not flat, a sentence each; the first sample is what the others are held against."""
    first = samples[0]
    found: list[str] = []
    for name, tolerance in (("host", TOLERANCE), ("workers", TOLERANCE), ("descriptors", 0.0), ("processes", 0.0)):
        base = getattr(first, name)
        values = [getattr(each, name) for each in samples]
        if any(abs(value - base) > tolerance * base for value in values):
            found.append(f"{name} not flat after warm-up: {base}, then {min(values)} to {max(values)}")
    return found


async def soak(cells: int, intervals: int, seed: int) -> list[str]:
    """Run the whole; returns what is wrong."""
    randomly = random.Random(seed)
    counts, problems, samples = Counter[str](), list[str](), list[Sample]()
    began = time.monotonic()
    executor = QuickJsExecutor(warm=WARM_WORKERS)
    print("    cells  seconds  host KiB  workers KiB  descriptors  processes", flush=True)
    async with AsyncExitStack() as stack:
        code_mode = await stack.enter_async_context(toolcell.CodeMode(executor=executor))
        runs: list[Any] = [code_mode.run(tools=TOOLS, force=True) for _ in range(LANES)]
        steady = [await stack.enter_async_context(run) for run in runs]
        kills = 0
        for index in range(intervals):
            first = cells * index // intervals
            kinds = randomly.choices(list(SHARES), list(SHARES.values()), k=cells * (index + 1) // intervals - first)
            counts.update(kinds)
            problems += await interval(code_mode, steady, kinds, first)
            samples.append(await sample(executor))
            host, workers, descriptors, processes = astuple(samples[-1])
            done, seconds = first + len(kinds), time.monotonic() - began
            print(f"{done:9} {seconds:8.0f} {host:9} {workers:12} {descriptors:12} {processes:10}", flush=True)
            kills = executor.pool.stats()["killed_deadline"]
    print(f"seed {seed}: {dict(counts)}; {kills} hard kills; {cells / (time.monotonic() - began):.0f} cells a second")
    return problems + growth(samples[int(len(samples) * WARM_UP_SHARE) :])


def main() -> int:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(description="Run many cells in one process; fail if anything grows.")
    parser.add_argument("--cells", type=int, default=100_000)
    parser.add_argument("--intervals", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    problems = asyncio.run(soak(options.cells, options.intervals, options.seed))
    for problem in problems:
        print(problem)
    print("failed" if problems else "flat")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
