"""Runs with a fake guest, and tools for them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import toolcell
from toolcell.executor.protocol import CellSource
from toolcell.testing import FakeCall, FakeExecutor, Guest, all_of

FOREVER = {"enabled": True, "timeoutMs": 60_000}
SHORT = {"enabled": True, "timeoutMs": 100}


@toolcell.tool
async def add(a: int, b: int) -> int:
    return a + b


@toolcell.tool
def upper(text: str) -> str:
    return text.upper()


class SlowTool:
    """A tool, ``slow``, whose calls take until they are released or cancelled.

    Attributes:
        began: A call has begun.
        release: Lets all calls return ``"done"``.
        ended: A call has ended.
        calls: How many began.
        told: Why each that ended was aborted, ``None`` for those that were not.
    """

    def __init__(self) -> None:
        self.began, self.release, self.ended = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.calls = 0
        self.told: list[str | None] = []
        self.tool = toolcell.tool(name="slow")(self._run)

    async def _run(self, context: toolcell.CallContext) -> str:
        self.calls += 1
        self.began.set()
        try:
            await self.release.wait()
        finally:
            self.told.append(context.signal.reason)
            self.ended.set()
        return "done"


def recorder(**options: Any) -> tuple[toolcell.Tool, list[Any]]:
    """A tool that gives back its input, and the list of what it was given."""
    seen: list[Any] = []

    @toolcell.tool(name="record", input_schema={}, raw_input=True, **options)
    async def record(given: Any) -> Any:
        seen.append(given)
        return given

    return record, seen


def call(number: int, target: str, given: Any = None, method: Any = "call_value") -> FakeCall:
    """A guest's call with ``given`` as its input."""
    return FakeCall(number, method, target, None if given is None else json.dumps(given).encode())


@asynccontextmanager
async def a_run(
    program: Callable[[CellSource], Guest], *tools: Any, config: Any = FOREVER, **options: Any
) -> AsyncGenerator[toolcell.Run]:
    """A run whose guest is ``program``."""
    async with (
        toolcell.CodeMode(executor=FakeExecutor(program)) as code_mode,
        code_mode.run(tools=tools or [add], config=config, **options) as run,
    ):
        yield run


async def exec_all(*calls: FakeCall, tools: Any, **options: Any) -> Any:
    """What came of calls that a guest makes at once, by number; see `all_of`."""
    async with a_run(all_of(*calls), *tools, **options) as run:
        result = await run.exec({"code": "x"})
        assert result.status == "completed", result
        return result.value
