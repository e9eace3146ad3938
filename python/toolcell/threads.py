"""Daemon threads of our own for blocking work.

Unlike the pools of ``asyncio`` and ``concurrent.futures``, a function that never returns holds up neither the closing
of a run nor the exit of the interpreter.
"""

from __future__ import annotations

import asyncio
import contextvars
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")

_IDLE_SECONDS = 10.0
_Job = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", contextvars.Context, Callable[[], Any]]


class DaemonThreads:
    """Runs functions in daemon threads, as many as there are functions running; idle threads are used again."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0

    def run(self, function: Callable[[], T]) -> asyncio.Future[T]:
        """Start ``function`` in a thread, in a copy of the caller's context.

        Returns:
            A future of the running loop. Cancelling it forgets the result; the function itself can't be stopped.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        job = (loop, future, contextvars.copy_context(), function)
        with self._lock:
            spare = self._idle > 0
            if spare:
                self._idle -= 1
        self._jobs.put(job)
        if not spare:
            threading.Thread(target=self._work, name=self._name, daemon=True).start()
        return future

    def _work(self) -> None:
        while True:
            try:
                loop, future, context, function = self._jobs.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                with self._lock:
                    if self._idle == 0:
                        continue
                    self._idle -= 1
                return
            try:
                outcome, failed = context.run(function), False
            except BaseException as error:  # crosses to the awaiting side
                outcome, failed = error, True
            with self._lock:
                self._idle += 1
            with suppress(RuntimeError):  # a closed loop has nobody left who waits
                loop.call_soon_threadsafe(_settle, future, outcome, failed)
            del loop, future, context, function, outcome


def _settle(future: asyncio.Future[Any], outcome: Any, failed: bool) -> None:
    if future.done():
        return
    if not failed:
        future.set_result(outcome)
    elif isinstance(outcome, StopIteration):
        future.set_exception(RuntimeError("StopIteration"))
    else:
        future.set_exception(outcome)
