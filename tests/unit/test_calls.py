"""Dispatch and settlement of a cell's calls, with a fake guest."""

from __future__ import annotations

import asyncio
import itertools
import threading
from typing import Any

import pytest

import toolcell
from support.runs import FOREVER, a_run, add, call, exec_all, upper
from toolcell.executor.protocol import CellSource
from toolcell.testing import FakeCall, Guest, all_of


async def test_calls_of_one_leg_come_back_together() -> None:
    value = await exec_all(call(1, "add", {"a": 1, "b": 2}), call(2, "host:core:upper", {"text": "x"}), tools=[add, upper])

    assert value == {"1": 3, "2": "X"}


async def test_no_more_calls_run_at_once_than_configured_and_they_start_in_call_order() -> None:
    running, most, order = 0, 0, list[int]()

    @toolcell.tool(name="work", input_schema={}, raw_input=True)
    async def work(number: Any) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        order.append(number)
        await asyncio.sleep(0)
        running -= 1

    await exec_all(*(call(n, "work", n) for n in range(1, 41)), tools=[work], config=FOREVER | {"maxPendingToolCalls": 4})

    assert (most, order) == (4, list(range(1, 41)))


@pytest.mark.parametrize(("options", "allowed"), [({"sequential": True}, 1), ({"max_concurrency": 3}, 3)])
async def test_a_tools_own_limit_of_calls_at_once_holds(options: dict[str, Any], allowed: int) -> None:
    running, most = 0, 0

    @toolcell.tool(**options)
    async def work() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1

    await exec_all(*(call(n, "work") for n in range(1, 11)), tools=[work])

    assert most == allowed


async def test_a_thousand_calls_that_settle_at_once_do_not_nest() -> None:
    value = await exec_all(*(call(n, "add", {"a": n, "b": 0}) for n in range(1, 1001)), tools=[add])

    assert value == {str(n): n for n in range(1, 1001)}


async def test_a_cell_whose_calls_never_wait_leaves_the_loop_to_others() -> None:
    def endless(_: CellSource) -> Guest:
        for number in itertools.count(1):
            yield [call(number, "add", {"a": 1, "b": 2})]
        return b"null"

    async with a_run(endless) as run:
        running = asyncio.create_task(run.exec("endless"))
        await asyncio.sleep(0.01)
        await run.abort()
        result = await running

    assert (result.status, result.code, result.reason) == ("failed", "aborted", "aborted")


async def test_sync_tools_run_at_the_same_time() -> None:
    barrier = threading.Barrier(3, timeout=20)

    @toolcell.tool
    def meet() -> int:
        return barrier.wait()

    value = await exec_all(*(call(n, "meet") for n in (1, 2, 3)), tools=[meet])

    assert sorted(value.values()) == [0, 1, 2]


async def test_timers_that_are_due_together_fire_by_due_time_then_number() -> None:
    fired = list[int]()

    def program(source: CellSource) -> Guest:
        settled = yield [FakeCall(1, "timer", delay_ms=30), FakeCall(2, "timer", delay_ms=0), FakeCall(3, "timer", delay_ms=10)]
        fired.extend(settled)
        while len(fired) < 3:
            fired.extend((yield ()))
        return b"null"

    async with a_run(program) as run:
        await run.exec({"code": "x"})

    assert fired == [2, 3, 1]


async def test_calls_that_wait_for_a_person_hold_no_slot() -> None:
    seen, all_others = list[Any](), asyncio.Event()

    @toolcell.tool(name="record", input_schema={}, raw_input=True)
    async def record(given: Any) -> None:
        seen.append(given)
        if len(seen) == 17:
            all_others.set()

    calls = [call(n, "record", n) for n in range(1, 21)]

    class Ask(toolcell.Policy):
        def decide(self, call: toolcell.ToolCall) -> Any:
            return "ask" if call.input in (1, 2, 3) else "allow"

    async with a_run(all_of(*calls), record, policy=Ask(), config=FOREVER | {"maxPendingToolCalls": 1}) as run:
        asked = await run.exec({"code": "x"})
        assert asked.run_id is not None
        await all_others.wait()
        before = sorted(seen)
        for number in (1, 2, 3):
            await run.decide(asked.run_id, f"{asked.run_id}/{number}", "approve")
        result = asked
        while result.status == "waiting":
            result = await run.wait({"runId": asked.run_id})

    assert (before, sorted(seen), result.status) == (list(range(4, 21)), list(range(1, 21)), "completed")
