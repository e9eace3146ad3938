"""Tasks whose first step runs at once, as Python 3.12 has them: work that never waits needs no turn of the event loop."""

from __future__ import annotations

import asyncio
import contextvars
import sys
from collections.abc import Coroutine
from typing import Any

MAX_TURN_S = 0.005
"""Work that never waits leaves the event loop to others after this time."""

if sys.version_info >= (3, 12):

    def start(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run ``work`` as a task of the running loop, up to where it first waits before this returns."""
        return asyncio.Task(work, loop=loop, eager_start=True)

else:
    # What the documentation gives to those who extend asyncio.
    from asyncio import _enter_task, _leave_task  # pyright: ignore[reportPrivateUsage]

    def start(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run ``work`` as a task of the running loop, up to where it first waits before this returns."""
        begun = _Begun(work)
        context = contextvars.copy_context()
        task = loop.create_task(begun, context=context)
        caller = asyncio.current_task(loop)
        if caller is not None:
            _leave_task(loop, caller)
        _enter_task(loop, task)
        try:
            context.run(begun.begin)
        finally:
            _leave_task(loop, task)
            if caller is not None:
                _enter_task(loop, caller)
        return task

    class _Begun(Coroutine[Any, Any, None]):
        """A coroutine of which the first step has been run; its task sees the outcome of that step as its own first one."""

        __slots__ = ("_error", "_first", "_is_over", "_work")

        def __init__(self, work: Coroutine[Any, Any, None]) -> None:
            self._work = work
            self._first: Any = None
            self._is_over = False
            self._error: BaseException | None = None

        def begin(self) -> None:
            """Run the first step."""
            try:
                self._first = self._work.send(None)
            except StopIteration:
                self._is_over = True
            except BaseException as error:  # the task's first step raises it
                self._error = error

        def send(self, value: Any, /) -> Any:
            self._end()
            first, self._first = self._first, None
            # A bare `yield` asks for one turn of the loop, which has passed by now.
            return self._work.send(value) if first is None else first

        def throw(self, *error: Any) -> Any:
            self._end()
            self._first = None
            return self._work.throw(*error)

        def _end(self) -> None:
            if self._is_over:
                raise StopIteration
            if self._error is not None:
                raise self._error

        def close(self) -> None:
            self._work.close()

        def __await__(self) -> Any:
            raise TypeError("it belongs to a task")
