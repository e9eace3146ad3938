"""Tasks whose first step runs at once."""

from __future__ import annotations

import asyncio
import contextvars

import pytest

from toolcell.runtime import eager

VARIABLE: contextvars.ContextVar[str] = contextvars.ContextVar("VARIABLE", default="outside")


async def test_work_that_never_waits_is_over_before_start_returns() -> None:
    done: list[int] = []

    async def work() -> None:
        done.append(1)

    task = eager.start(asyncio.get_running_loop(), work())

    assert done == [1]
    assert await task is None


async def test_work_is_its_own_task_before_and_after_it_waits() -> None:
    seen: list[asyncio.Task[None] | None] = []

    async def work() -> None:
        seen.append(asyncio.current_task())
        await asyncio.sleep(0)
        seen.append(asyncio.current_task())

    caller = asyncio.current_task()
    task = eager.start(asyncio.get_running_loop(), work())
    seen.append(asyncio.current_task())
    await task

    assert seen == [task, caller, task]


async def test_what_work_sets_in_its_context_stays_there() -> None:
    seen: list[str] = []

    async def work() -> None:
        VARIABLE.set("inside")
        await asyncio.sleep(0)
        seen.append(VARIABLE.get())

    await eager.start(asyncio.get_running_loop(), work())

    assert (seen, VARIABLE.get()) == (["inside"], "outside")


async def test_a_timeout_set_in_the_first_step_ends_the_work_and_not_its_caller() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            async with asyncio.timeout(0.001):
                await asyncio.Event().wait()
        except TimeoutError:
            ended.append("work")

    await eager.start(asyncio.get_running_loop(), work())

    assert ended == ["work"]


async def test_a_future_awaited_in_the_first_step_wakes_the_work() -> None:
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    done: list[int] = []

    async def work() -> None:
        await future
        done.append(1)

    task = eager.start(asyncio.get_running_loop(), work())
    before = list(done)
    future.set_result(None)
    await task

    assert (before, done) == ([], [1])


async def test_work_can_be_cancelled_before_its_second_step() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cleaned up")

    task = eager.start(asyncio.get_running_loop(), work())
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == ["cleaned up"]


async def test_what_the_first_step_raises_is_the_outcome_of_the_task() -> None:
    async def work() -> None:
        raise LookupError("nothing there")

    task = eager.start(asyncio.get_running_loop(), work())

    with pytest.raises(LookupError, match="nothing there"):
        await task
