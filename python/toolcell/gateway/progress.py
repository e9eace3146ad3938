"""Progress of a request, told to its client from the events of its run."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType

from toolcell.runtime.run import Run
from toolcell.telemetry import Event, NestedCallFinished, NestedCallProgress, NestedCallStarted
from toolcell.untrusted import printable_line
from toolcell.values import object_or_empty

log = logging.getLogger("toolcell.gateway")

MIN_INTERVAL_S = 0.1
"""Between two notifications; what happens meanwhile is told by the latest event."""
MAX_INTERVAL_S = 5.0
"""A client may give up a request of which it hears nothing."""
MAX_MESSAGE_CHARS = 200

Report = Callable[[float, str], Awaitable[None]]


class Progress:
    """Reports progress while it is entered.

    ``report`` takes a number that grows and a text; ``call_id`` is the `exec` or `wait` whose nested calls are told of.
    """

    def __init__(self, run: Run, call_id: str, report: Report) -> None:
        self._run = run
        self._call_id = call_id
        self._report = report
        self._tools: dict[str, str] = {}
        self._message = "running"
        self._news = asyncio.Event()

    async def __aenter__(self) -> None:
        self._forget = self._run.subscribe(self._take)
        self._task = asyncio.create_task(self._tell())

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._forget()
        self._task.cancel()
        await asyncio.wait([self._task])
        if not self._task.cancelled():
            log.debug("progress was not told: %s", self._task.exception())

    def _take(self, event: Event) -> None:
        match event:
            case NestedCallStarted(parent_id=self._call_id):
                self._tools[event.call_id] = event.tool
                self._say(event.tool, "started")
            case NestedCallFinished() if (tool := self._tools.pop(event.call_id, None)) is not None:
                self._say(tool, event.outcome)
            case NestedCallProgress() if (tool := self._tools.get(event.call_id)) is not None:
                self._say(tool, _words(event.value))
            case _:
                pass

    def _say(self, tool: str, what: str) -> None:
        self._message = printable_line(f"{tool}: {what}", MAX_MESSAGE_CHARS)
        self._news.set()

    async def _tell(self) -> None:
        told = 0
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(MAX_INTERVAL_S):
                    await self._news.wait()
            self._news.clear()
            told += 1
            await self._report(float(told), self._message)
            await asyncio.sleep(MIN_INTERVAL_S)


def _words(value: object) -> str:
    """What a tool says of its progress: its text, or how far it is."""
    if isinstance(value, str):
        return value
    told = object_or_empty(value)
    message, progress, total = told.get("message"), told.get("progress"), told.get("total")
    if isinstance(message, str) and message:
        return message
    if isinstance(progress, int | float):
        return f"{progress:g}" if not isinstance(total, int | float) else f"{progress:g} of {total:g}"
    return "running"
