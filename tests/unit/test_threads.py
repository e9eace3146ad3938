"""Daemon threads for blocking work."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import threading

import pytest

from toolcell.threads import DaemonThreads

request: contextvars.ContextVar[str] = contextvars.ContextVar("request")


async def test_functions_run_at_the_same_time() -> None:
    threads = DaemonThreads("test")
    barrier = threading.Barrier(8, timeout=10)

    arrived = await asyncio.gather(*(threads.run(barrier.wait) for _ in range(8)))

    assert sorted(arrived) == list(range(8))


async def test_an_idle_thread_is_used_again() -> None:
    threads = DaemonThreads("test")

    names = {await threads.run(threading.get_ident) for _ in range(20)}

    assert len(names) == 1


async def test_a_function_sees_the_context_of_its_caller() -> None:
    request.set("r1")

    assert await DaemonThreads("test").run(request.get) == "r1"


async def test_an_exception_reaches_the_caller() -> None:
    def fail() -> None:
        raise KeyError("k")

    with pytest.raises(KeyError, match="k"):
        await DaemonThreads("test").run(fail)


async def test_stop_iteration_reaches_the_caller_as_a_runtime_error() -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        await DaemonThreads("test").run(lambda: next(iter(())))


async def test_a_cancelled_caller_does_not_wait_for_the_function() -> None:
    release = threading.Event()
    future = DaemonThreads("test").run(release.wait)

    future.cancel()
    release.set()

    assert future.cancelled()


def test_a_function_that_never_ends_does_not_hold_up_the_exit() -> None:
    program = (
        "import asyncio, threading\n"
        "from toolcell.threads import DaemonThreads\n"
        "async def main():\n"
        "    started = threading.Event()\n"
        "    DaemonThreads('t').run(lambda: (started.set(), threading.Event().wait()))\n"
        "    started.wait()\n"
        "asyncio.run(main())\n"
    )

    assert subprocess.run([sys.executable, "-c", program], timeout=20).returncode == 0
