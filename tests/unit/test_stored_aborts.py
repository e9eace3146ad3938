"""Aborts across hosts that share a store, with a fake guest."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import toolcell
from support.machine import SCOPE, Machine
from support.runs import SlowTool, add, call, recorder
from toolcell.errors import StoreError
from toolcell.executor.protocol import CellSource
from toolcell.runtime.journal import PEER_CHECK_S, abort_note
from toolcell.store import SqliteStore
from toolcell.testing import FakeCall, Guest, all_of


async def test_abort_reaches_a_cell_that_only_the_store_has(machine: Machine) -> None:
    record, _ = recorder()
    machine.executor.program = all_of(FakeCall(1, "yield"))
    first, second = await machine.host(record), await machine.host(record)
    cell = await first.exec({"code": "x"})

    await second.abort(cell.run_id)

    assert (await first.wait({"runId": cell.run_id})).reason == "unknown_run"


async def test_a_wait_learns_that_another_host_took_the_cell(machine: Machine) -> None:
    record, seen = recorder(requires_approval=True)
    machine.executor.program = all_of(call(1, "record", 1))
    first, second = await machine.host(record), await machine.host(record)
    cell = await first.exec({"code": "x"})
    assert cell.run_id is not None
    waiting = asyncio.create_task(first.wait({"runId": cell.run_id}))
    await asyncio.sleep(0)

    await second.abort(cell.run_id)

    assert ((await waiting).reason, seen, first.code_mode.cells) == ("unknown_run", [], {})


def slow_cell(*calls: FakeCall) -> Any:
    """A guest that yields, then calls ``slow``, then makes ``calls``."""

    def program(source: CellSource) -> Guest:
        yield [FakeCall(1, "yield")]
        yield [call(2, "slow")]
        if calls:
            yield calls
        return b"1"

    return program


async def running_elsewhere(machine: Machine, slow: SlowTool) -> tuple[str, asyncio.Task[toolcell.CellResult]]:
    """A cell that one host has stored and is now running again."""
    host = await machine.host(slow.tool)
    cell = await host.exec("x")
    assert cell.run_id is not None
    waiting = asyncio.create_task(host.wait(cell.run_id))
    await slow.began.wait()
    return cell.run_id, waiting


async def test_abort_ends_a_cell_that_another_host_is_running(machine: Machine) -> None:
    slow = SlowTool()
    machine.executor.program = slow_cell()
    run_id, waiting = await running_elsewhere(machine, slow)
    other = await machine.host(add)

    await other.abort(run_id)
    result = await waiting

    assert (result.code, slow.told) == ("aborted", ["aborted"])
    assert (await other.wait(run_id)).reason == "unknown_run"


async def test_abort_reaches_a_cell_that_is_parked_again_before_its_host_looks(machine: Machine) -> None:
    slow = SlowTool()
    machine.executor.program = slow_cell(FakeCall(3, "yield"))
    run_id, waiting = await running_elsewhere(machine, slow)
    other = await machine.host(add)

    await other.abort(run_id)
    slow.release.set()
    result = await waiting

    assert (result.code, (await other.wait(run_id)).reason) == ("aborted", "unknown_run")


async def test_another_scope_neither_aborts_a_running_cell_nor_keeps_its_own_from_doing_so(machine: Machine) -> None:
    slow = SlowTool()
    machine.executor.program = slow_cell(FakeCall(3, "yield"))
    run_id, waiting = await running_elsewhere(machine, slow)
    stranger = await machine.host(add, scope=toolcell.Scope("agent", "other", "key", "run"))
    other = await machine.host(add)

    await stranger.abort(run_id)
    slow.release.set()
    result = await waiting
    await other.abort(run_id)

    assert (result.status, slow.told, (await other.wait(run_id)).reason) == ("waiting", [None], "unknown_run")


async def test_a_store_that_fails_for_a_while_does_not_end_a_running_cell(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = SlowTool()
    machine.executor.program = slow_cell()
    run_id, waiting = await running_elsewhere(machine, slow)
    other = await machine.host(add)
    failed = asyncio.Event()

    async def fail(self: Any, cell_id: str) -> Any:
        monkeypatch.undo()
        failed.set()
        raise StoreError("locked")

    monkeypatch.setattr("toolcell.store.SqliteStore.notes", fail)
    await failed.wait()
    await other.abort(run_id)

    assert (await waiting).code == "aborted"


async def test_an_abort_that_was_written_without_the_key_is_not_obeyed(machine: Machine) -> None:
    slow = SlowTool()
    machine.executor.program = slow_cell()
    run_id, waiting = await running_elsewhere(machine, slow)
    forger = SqliteStore(machine.path, key=b"x" * 32)
    await forger.open()
    await forger.add_note(run_id, abort_note(SCOPE.digest))
    await forger.close()

    await asyncio.sleep(2 * PEER_CHECK_S)
    slow.release.set()

    assert ((await waiting).status, slow.told) == ("completed", [None])
