"""Histories of exec, wait, deliver, decide, abort, expiry and close, in several hosts and scopes, against a small model.

A guest makes its calls leg by leg. It goes on to the next leg when all calls of this one have settled but those to
``gate``, and returns what came when everything has. Time is virtual: what waits for a deadline costs nothing.
"""

from __future__ import annotations

import asyncio
import json
import selectors
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import toolcell
from toolcell.executor.protocol import CellSource
from toolcell.settlement import CallFailure
from toolcell.store import MemoryStore, SqliteStore
from toolcell.testing import FakeCall, FakeExecutor, Guest

T = TypeVar("T")

KINDS = ("now", "gate", "ask", "client", "yield")
TARGETS = {"now": "now", "gate": "gate", "ask": "ask", "client": "pick"}
TTL_SECONDS = 100
TIMEOUT_MS = 500
SCOPES = (
    toolcell.Scope("agent", "session", "key", "one"),
    toolcell.Scope("agent", "session", "key", "two"),
    toolcell.Scope("agent", "session", "key"),
)
"""Two complete ones, and one that can't resume anything."""
PARTIAL = 2
PROGRAMS = st.lists(st.lists(st.sampled_from(KINDS), min_size=1, max_size=3), min_size=1, max_size=3)


class VirtualTime(selectors.DefaultSelector):
    """A clock that goes on only when everybody waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_000_000.0
        self._real = (time.time, time.monotonic)

    def install(self) -> None:
        time.time = time.monotonic = lambda: self.now

    def remove(self) -> None:
        time.time, time.monotonic = self._real

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise AssertionError("everybody waits and nothing will happen")
        self.now += max(timeout, 0.0)
        return super().select(0)


class RealTime:
    """The clock of the machine."""

    @property
    def now(self) -> float:
        return time.time()

    def install(self) -> None: ...

    def remove(self) -> None: ...


class InlineStore(SqliteStore):
    """The SQLite store without its thread, so that time stands still while it works."""

    async def open(self) -> None:
        self._connect()

    async def close(self) -> None:
        self._disconnect()

    async def _run(self, job: Callable[[], T]) -> T:
        return job()


def guest(source: CellSource) -> Guest:
    """Play a program that is given as the cell's code."""
    program: list[list[str]] = json.loads(source.code)
    number = 0
    waiting: set[int] = set()
    settled: dict[int, bytes | CallFailure] = {}
    calls: list[FakeCall] = []

    def take(got: dict[int, bytes | CallFailure]) -> None:
        assert not got.keys() & settled.keys(), "a call settled twice"
        settled.update(got)
        waiting.difference_update(got)
        calls.clear()

    for leg in program:
        for kind in leg:
            number += 1
            waiting.add(number)
            calls.append(call(number, kind))
        while any(kind_of(program, n) != "gate" for n in waiting):
            take((yield tuple(calls)))
    while waiting:
        take((yield tuple(calls)))
    return json.dumps({n: plain(outcome) for n, outcome in sorted(settled.items())}).encode()


GUEST = """
let number = 0;
const came = {}, gates = [];
function begin(kind) {
  const own = ++number;
  const work = kind === "yield" ? yield_control() : tools[kind === "client" ? "pick" : kind](own);
  return work.then((value) => { came[own] = value }, (error) => { came[own] = error.code });
}
for (const leg of PROGRAM) {
  const others = [];
  for (const kind of leg) (kind === "gate" ? gates : others).push(begin(kind));
  await Promise.all(others);
}
await Promise.all(gates);
return came;
"""
"""The same guest for a real worker."""


def call(number: int, kind: str) -> FakeCall:
    if kind == "yield":
        return FakeCall(number, "yield")
    return FakeCall(number, "call_value", TARGETS[kind], str(number).encode())


def kind_of(program: list[list[str]], number: int) -> str:
    return [kind for leg in program for kind in leg][number - 1]


def plain(outcome: bytes | CallFailure) -> Any:
    return outcome.code if isinstance(outcome, CallFailure) else json.loads(outcome)


@toolcell.tool(raw_input=True, input_schema={})
async def now(given: Any, context: toolcell.CallContext) -> str:
    context.values["machine"].dispatched[context.call_id] += 1
    return f"now {given}"


@toolcell.tool(raw_input=True, input_schema={})
async def gate(given: Any, context: toolcell.CallContext) -> str:
    machine: Histories = context.values["machine"]
    machine.dispatched[context.call_id] += 1
    machine.gates[context.call_id] = asyncio.get_running_loop().create_future()
    return await machine.gates[context.call_id]


@toolcell.tool(raw_input=True, input_schema={}, requires_approval=True)
async def ask(given: Any, context: toolcell.CallContext) -> str:
    context.values["machine"].dispatched[context.call_id] += 1
    return f"asked {given}"


TOOLS = (now, gate, ask)
PICK = toolcell.ClientTool(name="pick")


@dataclass
class ModelCell:
    """What must be true of one cell."""

    run_id: str
    scope: int
    program: list[list[str]]
    run: toolcell.Run
    host: int = 0
    """Host that parked it last."""
    held: bool = True
    """Whether that host has it in memory still."""
    leg: int = 0
    pending: set[int] = field(default_factory=set[int])
    """Calls without an outcome."""
    came: dict[int, Any] = field(default_factory=dict[int, Any])
    """Outcomes, as the guest will see them; ``None`` where it may see one of two."""
    homes: dict[int, int] = field(default_factory=dict[int, int])
    """Host that runs a gate's call, by number."""
    yields: set[int] = field(default_factory=set[int])
    over: str | None = None
    """How it ended: completed, aborted, expired, dropped."""
    known_idle: bool = False
    """Whether it is sure to expire after a time without events."""
    ends_at: float | None = None

    def kind(self, number: int) -> str:
        return kind_of(self.program, number)

    def start_leg(self, host: int) -> None:
        first = sum(map(len, self.program[: self.leg])) + 1
        for number, kind in enumerate(self.program[self.leg], first):
            if kind == "now":
                self.came[number] = f"now {number}"
                continue
            self.pending.add(number)
            if kind == "yield":
                self.yields.add(number)
            elif kind == "gate":
                self.homes[number] = host

    def advance(self, host: int) -> None:
        """Run legs as far as they go."""
        while all(self.kind(number) == "gate" for number in self.pending):
            if self.leg + 1 == len(self.program):
                if not self.pending:
                    self.over = "completed"
                return
            self.leg += 1
            self.start_leg(host)

    def reason(self) -> str:
        kinds = {self.kind(number) for number in self.pending}
        return "yield" if "yield" in kinds else "approval" if "ask" in kinds else "pending_tools"


class Histories(RuleBasedStateMachine):
    """Two hosts, three scopes, any number of cells."""

    durable = True
    real = False
    """Whether real workers, the store's own thread and the machine's clock are used."""

    def __init__(self) -> None:
        super().__init__()
        virtual = VirtualTime()
        self.time = RealTime() if self.real else virtual
        self.loop = asyncio.new_event_loop() if self.real else asyncio.SelectorEventLoop(virtual)
        self.time.install()
        shared_memory = Path("/dev/shm")
        self.folder = Path(tempfile.mkdtemp(dir=shared_memory if shared_memory.is_dir() else None))
        self.executor = None if self.real else FakeExecutor(guest)
        self.dispatched: Counter[str] = Counter()
        self.gates: dict[str, asyncio.Future[str]] = {}
        self.cells: dict[str, ModelCell] = {}
        self.hosts: list[toolcell.CodeMode] = []
        self.runs: dict[tuple[int, int], toolcell.Run] = {}
        self.waits: dict[str, tuple[int, asyncio.Task[toolcell.CellResult]]] = {}

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def store(self) -> Any:
        if not self.durable:
            return MemoryStore()
        return (SqliteStore if self.real else InlineStore)(self.folder / "cells.db", key=b"k" * 32)

    def code_of(self, program: list[list[str]]) -> str:
        return GUEST.replace("PROGRAM", json.dumps(program)) if self.real else json.dumps(program)

    @initialize()
    def open(self) -> None:
        for host in range(2):
            self.hosts.append(self.do(self._open_host()))
            for scope in range(len(SCOPES)):
                self.do(self._open_run(host, scope))

    async def _open_host(self) -> toolcell.CodeMode:
        config = {"enabled": True, "timeoutMs": TIMEOUT_MS, "snapshotTtlSeconds": TTL_SECONDS}
        return await toolcell.CodeMode(config, executor=self.executor, store=self.store()).__aenter__()

    async def _open_run(self, host: int, scope: int) -> None:
        run = self.hosts[host].run(tools=TOOLS, client_tools=[PICK], scope=SCOPES[scope], context={"machine": self})
        self.runs[host, scope] = await run.__aenter__()

    # What may happen.

    @rule(host=st.integers(0, 1), scope=st.integers(0, 2), program=PROGRAMS)
    def exec(self, host: int, scope: int, program: list[list[str]]) -> None:
        result = self.do(self.runs[host, scope].exec({"code": self.code_of(program)}))
        self._collect()

        run_id = result.run_id or f"completed {len(self.cells)}"
        assert run_id not in self.cells, "an id was used twice"
        cell = ModelCell(run_id, scope, program, self.runs[host, scope])
        cell.start_leg(host)
        cell.advance(host)
        self._compare(cell, host, result)
        self.cells[run_id] = cell

    @precondition(lambda self: self.cells)
    @rule(host=st.integers(0, 1), scope=st.integers(0, 2), data=st.data())
    def wait(self, host: int, scope: int, data: st.DataObject) -> None:
        cell = self._draw(data)
        if cell.run_id in self.waits:
            return
        result = self.do(self.runs[host, scope].wait({"runId": cell.run_id}))
        self._collect()
        self._after_wait(cell, host, scope, result)

    @precondition(lambda self: self.cells and not self.real)
    @rule(host=st.integers(0, 1), data=st.data())
    def begin_wait(self, host: int, data: st.DataObject) -> None:
        """A wait that goes on while other things happen."""
        cell = self._draw(data)
        if cell.run_id in self.waits or cell.over is not None or self._refusal(cell, host, cell.scope) is not None:
            return
        task = self.loop.create_task(self.runs[host, cell.scope].wait({"runId": cell.run_id}))
        self.waits[cell.run_id] = (host, task)
        self._take_turn(cell, host, yields=True)
        self._spin()
        if cell.run_id in self.waits:
            second = self.do(self.runs[host, cell.scope].wait({"runId": cell.run_id}))
            assert second.reason == "already_resuming"

    @precondition(lambda self: self.waits)
    @rule()
    def finish_waits(self) -> None:
        self.do(asyncio.wait([task for _, task in self.waits.values()]))
        self._collect()

    @precondition(lambda self: any(not gate.done() for gate in self.gates.values()))
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        """A tool that was running returns."""
        closed = [id for id, gate in self.gates.items() if not gate.done()]
        call_id = closed[data.draw(st.integers(0, len(closed) - 1))]
        run_id, _, number = call_id.rpartition("/")
        cell = self.cells.get(run_id)
        if cell is not None and self._is_elsewhere(cell, cell.homes.get(int(number), 0)):
            return
        self.gates[call_id].set_result("opened")
        if cell is not None and int(number) in cell.pending and cell.over is None:
            self._came(cell, int(number), "opened", cell.homes[int(number)])
        self._spin()

    @precondition(lambda self: self.cells)
    @rule(
        host=st.integers(0, 1),
        scope=st.integers(0, 2),
        word=st.sampled_from(["approve", "deny", "edit", "perhaps"]),
        data=st.data(),
    )
    def decide(self, host: int, scope: int, word: str, data: st.DataObject) -> None:
        cell = self._draw(data)
        if self._is_elsewhere(cell, host):
            return
        number = data.draw(st.integers(1, sum(map(len, cell.program))))
        may = self._may_settle(cell, host, scope, number, "ask") and word != "perhaps"
        before = self.dispatched.copy()
        try:
            self.do(self.runs[host, scope].decide(cell.run_id, f"{cell.run_id}/{number}", word, input=-number))
            assert may is not False, "a decision was taken that must be refused"
        except toolcell.ToolcellError:
            assert may is not True, "a decision was refused that must be taken"
            assert self.dispatched == before
            return
        outcomes = {"approve": f"asked {number}", "deny": "denied", "edit": f"asked {-number}"}
        self._came(cell, number, outcomes[word], host)
        self._spin()

    @precondition(lambda self: self.cells)
    @rule(host=st.integers(0, 1), scope=st.integers(0, 2), fails=st.booleans(), data=st.data())
    def deliver(self, host: int, scope: int, fails: bool, data: st.DataObject) -> None:
        cell = self._draw(data)
        if self._is_elsewhere(cell, host):
            return
        number = data.draw(st.integers(1, sum(map(len, cell.program))))
        may = self._may_settle(cell, host, scope, number, "client")
        given: dict[str, Any] = {"error": "closed"} if fails else {"value": "picked"}
        try:
            self.do(self.runs[host, scope].deliver(cell.run_id, f"{cell.run_id}/{number}", **given))
            assert may is not False, "a result was taken that must be refused"
        except toolcell.ToolcellError:
            assert may is not True, "a result was refused that must be taken"
            return
        self._came(cell, number, "client_error" if fails else "picked", host)
        self._spin()

    @precondition(lambda self: self.cells)
    @rule(host=st.integers(0, 1), scope=st.integers(0, 2), data=st.data())
    def abort(self, host: int, scope: int, data: st.DataObject) -> None:
        cell = self._draw(data)
        if self._is_elsewhere(cell, host):
            return
        self.do(self.runs[host, scope].abort(cell.run_id))
        run = self.runs[host, scope]
        owns = run is cell.run if scope == PARTIAL else scope == cell.scope
        if cell.over is None and owns and not self._is_gone(cell, host):
            cell.over = "aborted"
        self._spin()

    @precondition(lambda self: not self.real)
    @rule(seconds=st.sampled_from([1, TTL_SECONDS // 2, TTL_SECONDS + 5, 3 * TTL_SECONDS]))
    def pass_time(self, seconds: int) -> None:
        if self.waits:
            self.finish_waits()
        self.do(asyncio.sleep(seconds))
        self.do(self._flush())
        for cell in self.cells.values():
            if cell.over is None and cell.ends_at is not None and cell.ends_at <= self.time.now + 1:
                sure = cell.known_idle and cell.ends_at < self.time.now - 1
                cell.over = "expired" if sure else "perhaps expired"

    @rule(host=st.integers(0, 1))
    def close(self, host: int) -> None:
        """A host ends in order, and another one takes its place."""
        if self.waits:
            self.finish_waits()
        for (owner, _), run in self.runs.items():
            if owner == host:
                self.do(run.__aexit__(None, None, None))
        self.do(self.hosts[host].__aexit__(None, None, None))
        for cell in self.cells.values():
            self._lose_host(cell, host)
        self.hosts[host] = self.do(self._open_host())
        for scope in range(len(SCOPES)):
            self.do(self._open_run(host, scope))

    # What must hold.

    @invariant()
    def no_call_is_dispatched_twice(self) -> None:
        assert [id for id, count in self.dispatched.items() if count > 1] == []

    def teardown(self) -> None:
        try:
            if self.hosts:
                self._end_everything()
                for run in self.runs.values():
                    self.do(run.__aexit__(None, None, None))
                for host in self.hosts:
                    assert host.cells == {}, "a cell was left behind"
                    self.do(host.__aexit__(None, None, None))
                self.do(asyncio.sleep(1))
                assert asyncio.all_tasks(self.loop) == set(), "a task was left behind"
        finally:
            self.loop.close()
            self.time.remove()
            shutil.rmtree(self.folder)

    def _end_everything(self) -> None:
        """Every cell that can end reaches its end, with what the model says."""
        if self.waits:
            self.finish_waits()
        for cell in self.cells.values():
            for _ in range(2 * len(cell.program) + 2):
                if cell.over is not None or cell.scope == PARTIAL:
                    break
                self._answer_everything(cell)
                host = cell.host
                result = self.do(self.runs[host, cell.scope].wait({"runId": cell.run_id}))
                self._after_wait(cell, host, cell.scope, result)
            assert cell.over is not None or cell.scope == PARTIAL, "a cell does not end"

    def _answer_everything(self, cell: ModelCell) -> None:
        for number in sorted(cell.pending):
            call_id, host = f"{cell.run_id}/{number}", cell.host
            run = self.runs[host, cell.scope]
            if cell.kind(number) == "ask":
                self.do(run.decide(cell.run_id, call_id, "approve"))
                self._came(cell, number, f"asked {number}", host)
            elif cell.kind(number) == "client":
                self.do(run.deliver(cell.run_id, call_id, value="picked"))
                self._came(cell, number, "picked", host)
            elif cell.kind(number) == "gate" and not self.gates[call_id].done():
                self.gates[call_id].set_result("opened")
                self._came(cell, number, "opened", cell.homes[number])
        self.do(self._flush())

    # The model's own steps.

    def _draw(self, data: st.DataObject) -> ModelCell:
        """One of the cells; ids are random, so it is chosen by its place."""
        return list(self.cells.values())[data.draw(st.integers(0, len(self.cells) - 1))]

    def _is_gone(self, cell: ModelCell, host: int) -> bool:
        """Whether a host knows nothing of a cell: with a store in memory, every other one."""
        return not self.durable and cell.host != host

    def _is_elsewhere(self, cell: ModelCell, host: int) -> bool:
        """Whether another host is in a wait of a cell: it learns of what happens here only later."""
        return cell.run_id in self.waits and self.waits[cell.run_id][0] != host

    def _may_settle(self, cell: ModelCell, host: int, scope: int, number: int, kind: str) -> bool | None:
        """Whether a decision or result is taken; ``None`` where both are right."""
        if cell.over == "perhaps expired":
            return None
        fits = cell.over is None and number in cell.pending and cell.kind(number) == kind
        return fits and scope == cell.scope != PARTIAL and not self._is_gone(cell, host)

    def _came(self, cell: ModelCell, number: int, outcome: Any, host: int) -> None:
        """A call has its outcome; ``host`` is where that happened."""
        cell.pending.discard(number)
        cell.came[number] = outcome
        if cell.run_id in self.waits:
            self._take_turn(cell, host)
        self._note_idle(cell, host)

    def _note_idle(self, cell: ModelCell, host: int) -> None:
        """The clock of a cell runs when all it waits for is its next turn."""
        if cell.pending - cell.yields:
            cell.ends_at = None
        else:
            cell.ends_at = self.time.now + TTL_SECONDS
            cell.known_idle = host == cell.host and cell.held

    def _lose_host(self, cell: ModelCell, host: int) -> None:
        if cell.over is not None:
            return
        if not self.durable and cell.host == host:
            cell.over = "dropped"
            return
        for number, home in cell.homes.items():
            if home == host and number in cell.pending:
                self._came(cell, number, "outcome_unknown", host)
        cell.held = cell.held and cell.host != host

    def _after_wait(self, cell: ModelCell, host: int, scope: int, result: toolcell.CellResult, *, begun: bool = False) -> None:
        """Compare what a wait gave; the model of one that ``begun`` before has gone along already."""
        if cell.over == "perhaps expired":
            cell.over = "expired" if result.reason in ("snapshot_expired", "unknown_run") else None
        refused = self._refusal(cell, host, scope)
        if refused is not None:
            assert (result.status, result.code) == ("failed", "invalid_input")
            assert result.reason in refused.split("|")
            return
        if not begun:
            self._take_turn(cell, host, yields=True)
        self._compare(cell, host, result)

    def _take_turn(self, cell: ModelCell, host: int, *, yields: bool = False) -> None:
        """What has settled is given to the guest; a wait that begins gives yields their turn."""
        if yields:
            cell.came |= {number: {"status": "yielded", "reason": None} for number in cell.yields}
            cell.pending -= cell.yields
            cell.yields.clear()
        cell.advance(host)

    def _refusal(self, cell: ModelCell, host: int, scope: int) -> str | None:
        if cell.run_id.startswith("completed") or self._is_gone(cell, host):
            return "unknown_run"
        if cell.over == "expired":
            return "snapshot_expired|unknown_run"
        if cell.over is not None:
            return "unknown_run"
        return "wrong_scope" if scope != cell.scope or scope == PARTIAL else None

    def _compare(self, cell: ModelCell, host: int, result: toolcell.CellResult) -> None:
        """Compare a result with the model, which has gone as far."""
        if cell.over == "completed":
            assert (result.status, result.value) == ("completed", {str(n): v for n, v in sorted(cell.came.items())})
            return
        shown = {int(call.id.rpartition("/")[2]) for call in result.pending_tool_calls or ()}
        assert (result.status, result.reason, shown) == ("waiting", cell.reason(), cell.pending)
        cell.host, cell.held = host, True
        self._note_idle(cell, host)

    def _spin(self) -> None:
        """Let everything run that needs no time, then look at the waits that have ended."""
        self.do(self._flush())
        self._collect()

    async def _flush(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)
        for host in self.hosts:
            await host.flush()

    def _collect(self) -> None:
        for run_id, (host, task) in list(self.waits.items()):
            if task.done():
                del self.waits[run_id]
                cell = self.cells[run_id]
                if cell.over == "aborted":
                    assert task.result().code in ("aborted", "invalid_input")
                elif cell.over == "completed":
                    self._compare(cell, host, task.result())
                else:
                    self._after_wait(cell, host, cell.scope, task.result(), begun=True)


class RealHistories(Histories):
    """The same with real workers: fewer and shorter histories, in which no time passes but that of deadlines."""

    real = True


class MemoryHistories(Histories):
    """The same with cells that their host alone has."""

    durable = False


TestDurableHistories = pytest.mark.timeout(0)(Histories.TestCase)
TestRealHistories = pytest.mark.timeout(0)(RealHistories.TestCase)
TestRealHistories.settings = settings(max_examples=10, stateful_step_count=10, deadline=None)
TestMemoryHistories = pytest.mark.timeout(0)(MemoryHistories.TestCase)
