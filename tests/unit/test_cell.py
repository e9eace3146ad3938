"""A cell's life: parks, waits, limits, aborts and its end, with a fake guest."""

from __future__ import annotations

import asyncio
import time

import pytest

import toolcell
from support.runs import FOREVER, SHORT, SlowTool, a_run, add, call, recorder
from toolcell.executor.protocol import CellSource
from toolcell.testing import FakeCall, FakeExecutor, Guest, all_of


async def test_a_call_that_does_not_answer_in_time_leaves_the_cell_waiting_and_goes_on() -> None:
    slow = SlowTool()

    async with a_run(all_of(call(1, "slow", {})), slow.tool, config=SHORT) as run:
        first = await run.exec({"code": "x"})
        second = await run.wait({"runId": first.run_id})
        slow.release.set()
        third = await run.wait({"runId": first.run_id})

    assert (first.status, first.reason, second.status, second.run_id) == ("waiting", "pending_tools", "waiting", first.run_id)
    assert (third.value, slow.calls, third.telemetry.cell.restored) == ({"1": "done"}, 1, 1)


async def test_without_auto_drain_every_call_costs_a_wait() -> None:
    def program(source: CellSource) -> Guest:
        for number in (1, 2, 3):
            yield [call(number, "add", {"a": 1, "b": 1})]
        return b"3"

    async with a_run(program, add, config=FOREVER | {"autoDrain": False}) as run:
        results = [await run.exec({"code": "x"})]
        while results[-1].status == "waiting":
            results.append(await run.wait({"runId": results[-1].run_id}))

    assert [result.status for result in results] == ["waiting"] * 3 + ["completed"]
    assert (results[-1].telemetry.cell.legs, results[-1].telemetry.cell.restored) == (4, 3)


async def test_what_settles_too_late_for_another_leg_is_kept_for_the_next_wait() -> None:
    @toolcell.tool
    def late() -> str:
        time.sleep(0.15)
        return "late"

    async with a_run(all_of(call(1, "late")), late, config=SHORT) as run:
        first = await run.exec({"code": "x"})
        second = await run.wait({"runId": first.run_id})

    assert (first.status, second.value) == ("waiting", {"1": "late"})


async def test_a_cell_belongs_to_one_scope() -> None:
    executor = FakeExecutor(all_of(FakeCall(1, "yield")))
    async with toolcell.CodeMode(executor=executor, config=FOREVER) as code_mode:
        mine = toolcell.Scope("a", "s", "k", "r")
        partial = toolcell.Scope("a", "s", "k")
        async with (
            code_mode.run(tools=[add], scope=mine) as run,
            code_mode.run(tools=[add]) as other,
            code_mode.run(tools=[add], scope=partial) as vague,
            code_mode.run(tools=[add], scope=mine) as twin,
        ):
            cell, unclear = await run.exec({"code": "x"}), await vague.exec({"code": "x"})
            refused = [await other.wait({"runId": cell.run_id}), await vague.wait({"runId": unclear.run_id})]
            resumed = await twin.wait({"runId": cell.run_id})

    assert [(r.code, r.reason, r.error) for r in refused] == [
        ("invalid_input", "wrong_scope", "code mode run belongs to a different session.")
    ] * 2
    assert resumed.status == "completed"


async def test_a_finished_cell_is_an_unknown_run() -> None:
    async with a_run(all_of(FakeCall(1, "yield"))) as run:
        cell = await run.exec({"code": "x"})
        await run.wait({"runId": cell.run_id})
        again = await run.wait({"runId": cell.run_id})

    assert (again.reason, again.error) == ("unknown_run", "code mode run is unavailable or expired.")


async def test_an_idle_cell_expires_and_leaves_a_tombstone() -> None:
    async with a_run(all_of(FakeCall(1, "yield")), config=FOREVER | {"snapshotTtlSeconds": 1}) as run:
        cell = await run.exec({"code": "x"})
        await asyncio.sleep(1.1)
        expired = await run.wait({"runId": cell.run_id})

    assert (expired.reason, run.telemetry.continuations.expired) == ("snapshot_expired", 1)


async def test_the_clock_of_a_cell_does_not_run_while_an_approval_is_pending() -> None:
    record, _ = recorder(requires_approval=True)

    async with a_run(all_of(call(1, "record", 5)), record, config=SHORT | {"snapshotTtlSeconds": 1}) as run:
        cell = await run.exec({"code": "x"})
        await asyncio.sleep(1.2)
        still = await run.wait({"runId": cell.run_id})

    assert still.status == "waiting"


async def test_no_more_cells_are_suspended_than_configured_and_nothing_of_the_next_runs() -> None:
    record, seen = recorder()

    def program(source: CellSource) -> Guest:
        return all_of(FakeCall(1, "yield") if source.code == "park" else call(1, "record", 1))(source)

    executor = FakeExecutor(program)
    config = {"enabled": True, "maxSuspended": 2}
    async with toolcell.CodeMode(config, executor=executor) as code_mode, code_mode.run(tools=[record]) as run:
        first = await run.exec({"code": "park"})
        await run.exec({"code": "park"})
        refused = await run.exec({"code": "call"})
        before = list(seen)
        await run.wait({"runId": first.run_id})
        accepted = await run.exec({"code": "call"})

    assert (refused.reason, refused.error, before) == ("too_many_suspended", "too many suspended code mode runs.", [])
    assert (accepted.status, seen) == ("completed", [1])


async def test_abort_ends_a_running_cell_and_cancels_its_calls() -> None:
    slow = SlowTool()

    async with a_run(all_of(call(1, "slow", {})), slow.tool) as run:
        running = asyncio.create_task(run.exec({"code": "x"}))
        await slow.began.wait()
        await run.abort()
        result = await running
        await slow.ended.wait()

    assert (result.code, result.reason) == ("aborted", "aborted")
    assert [(c.tool, c.outcome) for c in result.calls or ()] == [("slow", "unknown")]


async def test_abort_ends_a_parked_cell() -> None:
    async with a_run(all_of(FakeCall(1, "yield"))) as run:
        cell = await run.exec({"code": "x"})
        await run.abort(cell.run_id)
        gone = await run.wait({"runId": cell.run_id})

    assert (gone.reason, run.telemetry.continuations.dropped) == ("unknown_run", 1)


async def test_a_cancelled_exec_cancels_its_calls() -> None:
    slow = SlowTool()

    async with a_run(all_of(call(1, "slow", {})), slow.tool) as run:
        running = asyncio.create_task(run.exec({"code": "x"}))
        await slow.began.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await slow.ended.wait()

    assert run.code_mode.cells == {}


async def test_a_cancelled_wait_leaves_the_cell_where_it_was() -> None:
    record, _ = recorder(requires_approval=True)

    async with a_run(all_of(call(1, "record", 5)), record) as run:
        cell = await run.exec({"code": "x"})
        assert cell.run_id is not None
        waiting = asyncio.create_task(run.wait({"runId": cell.run_id}))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await run.decide(cell.run_id, f"{cell.run_id}/1", "approve")
        result = await run.wait({"runId": cell.run_id})

    assert result.value == {"1": 5}


async def test_closing_the_run_drops_its_cells() -> None:
    executor = FakeExecutor(all_of(FakeCall(1, "yield")))
    scope = toolcell.Scope.unique()
    async with toolcell.CodeMode(FOREVER, executor=executor) as code_mode:
        async with code_mode.run(tools=[add], scope=scope) as run:
            cell = await run.exec({"code": "x"})
        async with code_mode.run(tools=[add], scope=scope) as later:
            gone = await later.wait({"runId": cell.run_id})

    assert gone.reason == "unknown_run"


async def test_a_restart_safe_cell_parks_at_each_call_and_its_id_follows_from_scope_code_and_ordinal() -> None:
    record, _ = recorder(replay_safe=True)
    scope = toolcell.Scope.unique()
    attempts = list[list[toolcell.CellResult]]()
    for _attempt in range(2):
        async with a_run(all_of(call(1, "record", 1)), record, scope=scope) as run:
            attempts.append([await run.exec({"code": "x", "restartSafe": True}) for _ in range(2)])

    ids = [[result.run_id for result in results] for results in attempts]
    assert (ids[0] == ids[1], len(set(ids[0]))) == (True, 2)
    assert {(result.status, result.replay_safe) for results in attempts for result in results} == {("waiting", True)}


async def test_a_side_effect_in_a_restart_safe_cell_is_refused_before_anything_of_its_leg_runs() -> None:
    record, seen = recorder(replay_safe=True)

    async with a_run(all_of(call(1, "record", 1), call(2, "add", {"a": 1, "b": 1})), record, add) as run:
        result = await run.exec({"code": "x", "restartSafe": True})

    assert (result.code, result.reason, seen) == ("invalid_input", "side_effect_in_restart_safe", [])
