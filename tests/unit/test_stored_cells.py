"""Cells in a durable store, seen from several `CodeMode`s, with a fake guest."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import toolcell
from support.machine import KEY, SCOPE, Machine
from support.runs import FOREVER, SHORT, SlowTool, call, recorder
from toolcell.executor.protocol import CellSource
from toolcell.store import Note, SqliteStore
from toolcell.telemetry import ApprovalRequested, CellResumed
from toolcell.testing import FakeCall, FakeText, Guest, all_of


async def test_another_host_finishes_the_cell_and_no_third_one_does_again(machine: Machine) -> None:
    record, seen = recorder()
    machine.executor.program = all_of(call(1, "record", 1), FakeCall(2, "yield", "later"))
    first, second = await machine.host(record), await machine.host(record)
    cell = await first.exec({"code": "x"})

    result = await second.wait({"runId": cell.run_id})
    again = [await run.wait({"runId": cell.run_id}) for run in (first, second)]

    assert (result.value, seen) == ({"1": 1, "2": {"status": "yielded", "reason": "later"}}, [1])
    assert [r.reason for r in again] == ["unknown_run"] * 2
    assert (first.code_mode.cells, second.code_mode.cells) == ({}, {})


async def test_a_decision_in_another_host_reaches_the_one_that_waits(machine: Machine) -> None:
    record, seen = recorder(requires_approval=True)
    machine.executor.program = all_of(call(1, "record", 1))
    first, second = await machine.host(record), await machine.host(record)
    cell = await first.exec({"code": "x"})
    assert cell.run_id is not None
    waiting = asyncio.create_task(first.wait({"runId": cell.run_id}))

    await second.decide(cell.run_id, f"{cell.run_id}/1", "edit", input=2)
    result = await waiting

    assert (result.value, seen) == ({"1": 2}, [2])


async def test_a_decision_is_taken_once_whichever_host_gives_it(machine: Machine) -> None:
    record, seen = recorder(requires_approval=True)
    machine.executor.program = all_of(call(1, "record", 1))
    first, second = await machine.host(record), await machine.host(record)
    cell = await first.exec({"code": "x"})
    assert cell.run_id is not None
    await second.decide(cell.run_id, f"{cell.run_id}/1", "deny")

    with pytest.raises(toolcell.CallNotPendingError):
        await first.decide(cell.run_id, f"{cell.run_id}/1", "approve")
    result = await first.wait({"runId": cell.run_id})

    assert (result.value["1"]["error"], seen) == ("denied", [])


async def test_an_approved_call_runs_in_one_host_only(machine: Machine) -> None:
    record, seen = recorder(requires_approval=True)
    machine.executor.program = all_of(call(1, "record", 1))
    runs = [await machine.host(record) for _ in range(4)]
    cell = await runs[0].exec({"code": "x"})
    assert cell.run_id is not None
    await runs[1].decide(cell.run_id, f"{cell.run_id}/1", "approve")

    results = await asyncio.gather(*(run.wait({"runId": cell.run_id}) for run in runs))

    assert seen == [1]
    assert sorted(r.status for r in results) == ["completed", "failed", "failed", "failed"]
    assert {r.reason for r in results if r.status == "failed"} <= {"already_resuming", "unknown_run"}


async def test_a_client_result_may_be_delivered_to_any_host(machine: Machine) -> None:
    machine.executor.program = all_of(call(1, "pick", {}))
    pick = toolcell.ClientTool(name="pick")
    first, second, third = [await machine.host(client_tools=[pick]) for _ in range(3)]
    cell = await first.exec({"code": "x"})
    assert cell.run_id is not None

    await second.deliver(cell.run_id, f"{cell.run_id}/1", value={"picked": 1})
    with pytest.raises(toolcell.CallNotPendingError):
        await third.deliver(cell.run_id, f"{cell.run_id}/1", value={"picked": 2})
    result = await third.wait({"runId": cell.run_id})

    assert result.value == {"1": {"picked": 1}}


async def test_a_call_in_flight_is_settled_by_the_host_that_runs_it(machine: Machine) -> None:
    slow = SlowTool()
    machine.executor.program = all_of(call(1, "slow", {}))
    first = await machine.host(slow.tool, config=SHORT)
    second = await machine.host(slow.tool)
    cell = await first.exec({"code": "x"})
    waiting = asyncio.create_task(second.wait({"runId": cell.run_id}))
    slow.release.set()

    assert ((await waiting).value, slow.calls) == ({"1": "done"}, 1)


@pytest.mark.parametrize(("replay_safe", "value"), [(False, "outcome_unknown"), (True, "done")])
async def test_a_call_whose_host_closed_is_unknown_or_runs_again_if_that_is_safe(
    machine: Machine, replay_safe: bool, value: str
) -> None:
    attempts = 0

    @toolcell.tool(replay_safe=replay_safe)
    async def slow() -> str:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            await asyncio.Event().wait()
        return "done"

    machine.executor.program = all_of(FakeCall(1, "call_value", "slow"))
    second = await machine.host(slow)
    code_mode = toolcell.CodeMode(SHORT, executor=machine.executor, store=SqliteStore(machine.path, key=KEY))
    async with code_mode, code_mode.run(tools=[slow], scope=SCOPE) as first:
        cell = await first.exec({"code": "x"})
    result = await second.wait({"runId": cell.run_id})

    got = result.value["1"]
    assert (got if replay_safe else got["error"], attempts) == (value, 2 if replay_safe else 1)


async def test_the_scope_is_checked_in_another_host_too(machine: Machine) -> None:
    record, _ = recorder()
    machine.executor.program = all_of(FakeCall(1, "yield"))
    first = await machine.host(record)
    stranger = await machine.host(record, scope=toolcell.Scope("agent", "other", "key", "run"))
    cell = await first.exec({"code": "x"})
    assert cell.run_id is not None

    refused = await stranger.wait({"runId": cell.run_id})
    await stranger.abort(cell.run_id)
    with pytest.raises(toolcell.CallNotPendingError):
        await stranger.decide(cell.run_id, f"{cell.run_id}/1", "approve")
    result = await first.wait({"runId": cell.run_id})

    assert (refused.reason, result.status) == ("wrong_scope", "completed")


async def test_another_key_is_refused_before_the_scope_is_looked_at(machine: Machine) -> None:
    record, _ = recorder()
    machine.executor.program = all_of(FakeCall(1, "yield"))
    first = await machine.host(record)
    cell = await first.exec({"code": "x"})
    code_mode = toolcell.CodeMode(FOREVER, executor=machine.executor, store=SqliteStore(machine.path, key=b"x" * 32))

    async with code_mode, code_mode.run(tools=[record]) as stranger:
        refused = await stranger.wait({"runId": cell.run_id})
    result = await first.wait({"runId": cell.run_id})

    assert (refused.code, refused.reason, result.status) == ("internal_error", "snapshot_restore_failed", "completed")


async def test_another_build_is_refused_and_uses_nothing_up(machine: Machine) -> None:
    record, _ = recorder()
    machine.executor.program = all_of(FakeCall(1, "yield"))
    first, second = await machine.host(record), await machine.host(record)
    cell = await first.exec({"code": "x"})

    machine.executor.build = "newer"
    refused = await second.wait({"runId": cell.run_id})
    machine.executor.build = "fake"
    result = await second.wait({"runId": cell.run_id})

    assert (refused.reason, result.status) == ("snapshot_restore_failed", "completed")


async def test_what_was_delivered_and_spent_before_is_not_forgotten(machine: Machine) -> None:
    record, _ = recorder()

    def program(source: CellSource) -> Guest:
        yield [FakeText("one"), call(1, "record", 1)]
        yield [FakeText("two"), FakeCall(2, "yield")]
        return b"3"

    machine.executor.program = program
    first, second = await machine.host(record), await machine.host(record)
    waiting = await first.exec({"code": "x"})
    result = await second.wait({"runId": waiting.run_id})

    assert ([item.model_dump() for item in waiting.output or ()], result.output, result.warnings) == (
        [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}],
        None,
        None,
    )
    assert (result.telemetry.cell.legs, result.telemetry.cell.restored) == (3, 1)


async def test_a_store_that_can_not_take_the_cell_raises_and_the_cell_goes_on_from_memory(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, _ = recorder()
    machine.executor.program = all_of(FakeCall(1, "yield"))
    run = await machine.host(record)

    async def full(cell: object) -> None:
        raise toolcell.StoreError("the disk is full")

    monkeypatch.setattr(run.store, "put", full)
    with pytest.raises(toolcell.StoreError) as caught:
        await run.exec({"code": "x"})
    result = await run.wait({"runId": caught.value.__dict__["run_id"]})

    assert result.status == "completed"


async def test_a_store_that_can_not_be_read_raises_and_uses_nothing_up(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    record, _ = recorder()
    machine.executor.program = all_of(FakeCall(1, "yield"))
    run = await machine.host(record)
    cell = await run.exec({"code": "x"})

    async def locked(*arguments: object) -> None:
        raise toolcell.StoreError("locked")

    with monkeypatch.context() as broken:
        broken.setattr(run.store, "take", locked)
        with pytest.raises(toolcell.StoreError):
            await run.wait({"runId": cell.run_id})
    result = await run.wait({"runId": cell.run_id})

    assert result.status == "completed"


async def test_a_call_that_needs_approval_only_after_the_park_can_be_decided_elsewhere(machine: Machine) -> None:
    record, seen = recorder(requires_approval=True)
    gate = asyncio.Event()

    class Slow:
        async def before_tool_call(self, call: toolcell.ToolCall) -> None:
            if call.tool_kind == "core":
                await gate.wait()

    machine.executor.program = all_of(call(1, "record", 1))
    first = await machine.host(record, hooks=[Slow()], config=SHORT)
    second = await machine.host(record)
    asked = asyncio.Event()
    first.subscribe(lambda event: asked.set() if isinstance(event, ApprovalRequested) else None)
    cell = await first.exec({"code": "x"})
    assert cell.run_id is not None
    gate.set()
    await asked.wait()
    await first.code_mode.flush()
    await second.decide(cell.run_id, f"{cell.run_id}/1", "approve")
    result = await second.wait({"runId": cell.run_id})

    assert (cell.reason, result.value, seen) == ("pending_tools", {"1": 1}, [1])


async def test_a_note_that_was_tampered_with_is_refused(machine: Machine, tmp_path: Path) -> None:
    record, seen = recorder(requires_approval=True)
    machine.executor.program = all_of(call(1, "record", 1))
    first = await machine.host(record)
    cell = await first.exec({"code": "x"})
    assert cell.run_id is not None
    forger = SqliteStore(machine.path, key=b"x" * 32)
    await forger.open()
    await forger.add_note(cell.run_id, Note(1, "decision", b'["approve", null]'))
    await forger.close()

    refused = await first.wait({"runId": cell.run_id})

    assert (refused.reason, seen) == ("snapshot_restore_failed", [])


async def test_a_host_that_another_one_overtook_does_not_let_the_cell_expire(machine: Machine) -> None:
    """The first host sees a cell that has nothing to do; the second one has taken it to an approval."""
    record, seen = recorder(requires_approval=True)
    slow = SlowTool()

    def program(source: CellSource) -> Guest:
        settled = dict((yield [call(1, "slow", {}), FakeCall(2, "yield")]))
        settled |= yield [call(3, "record", 3)]
        while len(settled) < 3:
            settled |= yield ()
        return b"3"

    machine.executor.program = program
    config = SHORT | {"snapshotTtlSeconds": 1}
    first, second = [await machine.host(record, slow.tool, config=config) for _ in range(2)]
    cell = await first.exec({"code": "x"})
    assert cell.run_id is not None
    asked = await second.wait({"runId": cell.run_id})
    slow.release.set()
    await asyncio.sleep(1.2)
    await second.decide(cell.run_id, f"{cell.run_id}/3", "approve")
    result = await second.wait({"runId": cell.run_id})

    assert (asked.reason, result.status, seen) == ("approval", "completed", [3])
    assert first.telemetry.continuations.expired == 0


async def test_a_call_of_a_view_that_was_overtaken_is_given_up_when_its_run_closes(machine: Machine) -> None:
    slow = SlowTool()
    machine.executor.program = all_of(call(1, "slow", {}), FakeCall(2, "yield"))
    second = await machine.host(slow.tool, config=SHORT)
    code_mode = toolcell.CodeMode(SHORT, executor=machine.executor, store=SqliteStore(machine.path, key=KEY))
    async with code_mode, code_mode.run(tools=[slow.tool], scope=SCOPE) as first:
        cell = await first.exec({"code": "x"})
        await second.wait({"runId": cell.run_id})
        back = await first.wait({"runId": cell.run_id})
    await slow.ended.wait()
    result = await second.wait({"runId": cell.run_id})

    assert (back.status, result.value["1"]["error"]) == ("waiting", "outcome_unknown")


async def test_an_approval_that_comes_up_after_a_resume_can_be_decided_after_another_wait(machine: Machine) -> None:
    record, seen = recorder(requires_approval=True)

    def program(source: CellSource) -> Guest:
        yield [FakeCall(1, "yield")]
        yield [call(2, "record", 2)]
        return b"2"

    machine.executor.program = program
    first = await machine.host(record, config=SHORT)
    second = await machine.host(record)
    cell = await first.exec({"code": "x"})
    assert cell.run_id is not None
    asked = [await first.wait({"runId": cell.run_id}) for _ in range(2)]
    await second.decide(cell.run_id, f"{cell.run_id}/2", "approve")
    result = await first.wait({"runId": cell.run_id})

    assert [(r.reason, [p.input for p in r.pending_tool_calls or ()]) for r in asked] == [("approval", [2])] * 2
    assert (result.value, seen) == (2, [2])


async def test_a_cell_whose_work_was_given_up_expires_like_an_idle_one(machine: Machine) -> None:
    slow = SlowTool()
    machine.executor.program = all_of(call(1, "slow", {}))
    config = SHORT | {"snapshotTtlSeconds": 1}
    second = await machine.host(slow.tool)
    code_mode = toolcell.CodeMode(config, executor=machine.executor, store=SqliteStore(machine.path, key=KEY))
    async with code_mode, code_mode.run(tools=[slow.tool], scope=SCOPE) as first:
        cell = await first.exec({"code": "x"})
    await asyncio.sleep(1.1)

    assert (await second.wait({"runId": cell.run_id})).reason == "snapshot_expired"


async def test_a_host_that_was_overtaken_can_decide_on_what_came_up_since(machine: Machine) -> None:
    record, seen = recorder(requires_approval=True)

    def program(source: CellSource) -> Guest:
        yield [FakeCall(1, "yield")]
        yield [call(2, "record", 2)]
        return b"2"

    machine.executor.program = program
    first, second = await machine.host(record), await machine.host(record)
    cell = await first.exec({"code": "x"})
    assert cell.run_id is not None
    await second.wait({"runId": cell.run_id})
    await first.decide(cell.run_id, f"{cell.run_id}/2", "edit", input=3)
    result = await first.wait({"runId": cell.run_id})

    assert (result.value, seen) == (2, [3])


async def test_a_call_of_another_host_that_ends_while_the_cell_is_live_is_drained_in_the_same_wait(machine: Machine) -> None:
    slow = SlowTool()
    machine.executor.program = all_of(call(1, "slow", {}), FakeCall(2, "yield"))
    first, second = await machine.host(slow.tool, config=SHORT), await machine.host(slow.tool)
    cell = await first.exec({"code": "x"})
    resumed = asyncio.Event()
    second.subscribe(lambda event: resumed.set() if isinstance(event, CellResumed) else None)
    waiting = asyncio.create_task(second.wait({"runId": cell.run_id}))
    await resumed.wait()
    slow.release.set()
    result = await waiting

    assert (result.status, result.value["1"], second.telemetry.wait_count) == ("completed", "done", 1)
