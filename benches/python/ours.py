"""The scenarios with toolcell."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from typing import Any

import toolcell
from benches.python.scenarios import OBJECTS, PARALLEL_CALLS, SEQUENTIAL_CALLS, Timing, check, objects
from toolcell.telemetry import CellSuspended, Event

SEQUENTIAL = f"let sum = 0; for (let i = 0; i < {SEQUENTIAL_CALLS}; i++) sum += await echo({{value: i}}); return sum"
PARALLEL = (
    f"const all = await Promise.all(Array.from({{length: {PARALLEL_CALLS}}}, (_, i) => echo({{value: i}})));"
    "return all.reduce((sum, one) => sum + one)"
)
STORED = "const x = await ask({}); return x + 1"
STORED_WITH_OBJECTS = "const all = await given(); await mark(); await ask({}); return all.length"
OBJECTS_IN = "return (await given()).length"
OBJECTS_OUT = "const all = await given(); await mark(); return all"
CONFIG = {"enabled": True, "maxOutputBytes": 10 << 20}


class Toolcell:
    """One `CodeMode` and two runs of one scope, each with a worker of its own; a cell parked by one is finished by the other."""

    async def __aenter__(self) -> Toolcell:
        self._stack = AsyncExitStack()
        self._objects = objects()
        self._marked = 0.0
        self._stored_bytes = 0
        tools = [toolcell.tool(function) for function in (_echo(), self._given(), self._mark())]
        client_tools = [toolcell.ClientTool(name="ask", description="", input_schema={})]
        scope = toolcell.Scope(agent_id="a", session_id="s", session_key="k", agent_run_id="r")
        code_mode = await self._stack.enter_async_context(toolcell.CodeMode(CONFIG, warm_workers=2))
        make = lambda: code_mode.run(tools=tools, client_tools=client_tools, scope=scope)  # noqa: E731
        self._run = await self._stack.enter_async_context(make())
        self._other = await self._stack.enter_async_context(make())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def trivial(self) -> Timing:
        return await self._time("return 1+1", 2)

    async def sequential_calls(self) -> Timing:
        return await self._time(SEQUENTIAL, sum(range(SEQUENTIAL_CALLS)))

    async def parallel_calls(self) -> Timing:
        return await self._time(PARALLEL, sum(range(PARALLEL_CALLS)))

    async def stored(self) -> Timing:
        began = time.perf_counter()
        value = await self._through_store(STORED, 1)
        seconds = time.perf_counter() - began
        check(value, 2)
        return Timing(seconds, self._stored_bytes)

    async def stored_with_objects(self) -> Timing:
        value = await self._through_store(STORED_WITH_OBJECTS, 1)
        seconds = time.perf_counter() - self._marked
        check(value, OBJECTS)
        return Timing(seconds, self._stored_bytes)

    async def objects_in(self) -> Timing:
        return await self._time(OBJECTS_IN, OBJECTS)

    async def objects_out(self) -> Timing:
        result = await self._run.exec({"code": OBJECTS_OUT})
        seconds = time.perf_counter() - self._marked
        check(result.value, self._objects)
        return Timing(seconds)

    async def _time(self, code: str, wanted: object) -> Timing:
        began = time.perf_counter()
        result = await self._run.exec({"code": code})
        seconds = time.perf_counter() - began
        check(result.value, wanted)
        return Timing(seconds)

    async def _through_store(self, code: str, answer: object) -> Any:
        forget = self._run.subscribe(self._note_size)
        waiting = await self._run.exec({"code": code})
        forget()
        assert waiting.run_id is not None
        assert waiting.pending_tool_calls is not None
        await self._other.deliver(waiting.run_id, waiting.pending_tool_calls[0].id, value=answer)
        return (await self._other.wait({"runId": waiting.run_id})).value

    def _given(self) -> Any:
        async def given() -> Any:
            return self._objects

        return given

    def _mark(self) -> Any:
        async def mark() -> None:
            self._marked = time.perf_counter()

        return mark

    def _note_size(self, event: Event) -> None:
        if isinstance(event, CellSuspended):
            self._stored_bytes = event.image_bytes


def _echo() -> Any:
    async def echo(value: int) -> int:
        return value

    return echo


def resident_bytes() -> int:
    """Memory of this process that is resident now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


async def parked_cell_bytes(cells: int) -> float:
    """Return by how much this process grows for each cell that is parked, image included."""
    config = {"enabled": True, "maxSuspended": 2 * cells}
    async with toolcell.CodeMode(config, warm_workers=1) as code_mode, code_mode.run(tools=[_echo()]) as run:
        code = {"code": "const keep = [1, 2, 3].map(x => ({x})); await yield_control(); return keep"}
        for _ in range(cells // 4):
            await run.exec(code)
        before = resident_bytes()
        for _ in range(cells):
            check((await run.exec(code)).status, "waiting")
        return (resident_bytes() - before) / cells


async def lease_seconds(warm: int, samples: int) -> list[float]:
    """Return how long it takes to get a worker, with ``warm`` of them kept ready; 0 times a start from nothing."""
    executor = toolcell.executor.quickjs.QuickJsExecutor(warm=warm)
    await executor.open()
    seconds: list[float] = []
    for _ in range(samples):
        await asyncio.sleep(0.02)  # for the pool to fill itself again
        if executor.pool.stats()["warm"] < warm:
            continue
        began = time.perf_counter()
        worker = executor.pool.lease()
        seconds.append(time.perf_counter() - began)
        executor.release(worker)
    await executor.close()
    return seconds
