"""SIGKILL at random moments: to workers under load, and to the host.

Each killed worker costs exactly its own cell. Where a kill hit is not guessed from the clock: the executor is watched,
and the exchange in which the worker was lost says what it was doing.
"""

from __future__ import annotations

import asyncio
import os
import random
import select
import signal
import statistics
import threading
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar

import pytest

import toolcell
from toolcell.executor.protocol import CellSource, Gone, Leg, Limits
from toolcell.executor.quickjs import QuickJsExecutor, QuickJsSession
from toolcell.executor.quickjs_guest import QuickJsGuest
from toolcell.guest_catalog import GuestCatalog
from toolcell.settlement import Settled

SEED = 20_261_130
KILLS_EACH = 50
MOST_ATTEMPTS = 2_000
ROWS = 5_000

CELLS = {
    "guest": ("settle", "text('one'); await step({id}); text('two'); for (let i = 0; i < 3e5; i++); return 1", 1),
    "settlement": ("settle", "text('one'); const rows = await items({id}); return rows.length", ROWS),
    "parking": ("park", "text('one'); const rows = await items({id}); await yield_control(); return rows.length", ROWS),
    "restoring": ("resume", "text('one'); const rows = await items({id}); await yield_control(); return rows.length", ROWS),
}
"""Cells that spend most of one exchange on what their name says: that exchange, the program, its value."""


class Trap:
    """Kills a worker ``delay_s`` after an exchange with it began; ``None`` only measures."""

    def __init__(self, exchange: str, delay_s: float | None) -> None:
        self.delay_s = delay_s
        self.took_s = 0.0
        self.lost = False
        """Whether the worker was lost within the exchange."""
        self._exchange = exchange

    async def around(self, exchange: str, guest: QuickJsGuest, work: Callable[[], Awaitable[Leg]]) -> Leg:
        if exchange != self._exchange:
            return await work()
        killer = None if self.delay_s is None else start_killer(guest.pid, self.delay_s)
        began = time.perf_counter()
        leg = await work()
        self.took_s = time.perf_counter() - began
        self.lost = isinstance(leg.end, Gone)
        if killer is not None:
            await asyncio.to_thread(killer.join)
        return leg


def start_killer(pid: int, delay_s: float) -> threading.Timer:
    """Kill a process later and wait for its end; a process that got its number meanwhile is left alone."""
    descriptor = os.pidfd_open(pid)

    def kill() -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        select.select([descriptor], [], [])
        os.close(descriptor)

    killer = threading.Timer(delay_s, kill)
    killer.start()
    return killer


TRAP: ContextVar[Trap | None] = ContextVar("TRAP", default=None)


async def watch(exchange: str, guest: QuickJsGuest, work: Callable[[], Awaitable[Leg]]) -> Leg:
    trap = TRAP.get()
    return await (work() if trap is None else trap.around(exchange, guest, work))


class WatchedGuest:
    """A guest whose exchanges pass the trap of the task that runs the cell."""

    def __init__(self, guest: QuickJsGuest) -> None:
        self._guest = guest
        self.kill = guest.kill
        self.stream = guest.stream
        self.release = guest.release

    async def start(self, source: CellSource, limits: Limits, *, timeout_ms: float) -> Leg:
        return await self._guest.start(source, limits, timeout_ms=timeout_ms)

    async def resume(
        self, source: CellSource, image: bytes, limits: Limits, settled: Sequence[Settled], *, timeout_ms: float
    ) -> Leg:
        guest = self._guest
        work = lambda: guest.resume(source, image, limits, settled, timeout_ms=timeout_ms)  # noqa: E731
        return await watch("resume", guest, work)

    async def settle(self, settled: Sequence[Settled], *, timeout_ms: float) -> Leg:
        return await watch("settle", self._guest, lambda: self._guest.settle(settled, timeout_ms=timeout_ms))

    async def park(self, *, timeout_ms: float) -> Leg:
        return await watch("park", self._guest, lambda: self._guest.park(timeout_ms=timeout_ms))


class WatchedSession:
    def __init__(self, session: QuickJsSession) -> None:
        self._session = session
        self.close = session.close
        self.replace = session.replace

    async def lease(self) -> WatchedGuest:
        return WatchedGuest(await self._session.lease())


class WatchedExecutor:
    """The real executor, its guests watched."""

    serializable = True
    build = QuickJsExecutor.build

    def __init__(self) -> None:
        inner = QuickJsExecutor(warm=4)
        self._inner = inner
        self.open = inner.open
        self.close = inner.close

    def session(self, catalog: GuestCatalog, *, reuse_workers: bool) -> WatchedSession:
        return WatchedSession(self._inner.session(catalog, reuse_workers=reuse_workers))


class Victims:
    """Cells that are killed, and what was seen of them."""

    def __init__(self) -> None:
        self.randomly = random.Random(SEED)
        self.lost = Counter[str]()
        self.calls = Counter[int]()
        self.attempts = 0
        self.wrong: list[str] = []
        self._took = {kind: deque[float](maxlen=9) for kind in CELLS}

    def tools(self) -> list[toolcell.Tool]:
        @toolcell.tool
        async def step(id: int) -> None:
            self.calls[id] += 1

        @toolcell.tool
        async def items(id: int) -> list[dict[str, object]]:
            self.calls[id] += 1
            return [{"id": number, "name": f"item-{number:05}"} for number in range(ROWS)]

        return [step, items]

    @property
    def wanted(self) -> list[str]:
        """Kinds of cells that have not been killed often enough."""
        return [] if self.attempts >= MOST_ATTEMPTS else [kind for kind in CELLS if self.lost[kind] < KILLS_EACH]

    async def lane(self, run: toolcell.Run) -> None:
        """Run victims, one after the other, until there are enough."""
        while wanted := self.wanted:
            self.attempts += 1
            await self.kill_one(run, self.randomly.choice(wanted), self.attempts)

    async def kill_one(self, run: toolcell.Run, kind: str, id: int) -> None:
        exchange, program, value = CELLS[kind]
        took = self._took[kind]
        measured = len(took) < 3
        trap = Trap(exchange, None if measured else self.randomly.uniform(0, statistics.median(took)))
        TRAP.set(trap)
        result = await run.exec({"code": f"const id = {id}; {program}"})
        output = list(result.output or ())
        if result.status == "waiting":
            result = await run.wait({"runId": result.run_id})
            output += result.output or ()
        TRAP.set(None)
        after = await run.exec({"code": "return 'next'"})
        if not trap.lost:
            took.append(trap.took_s)
        self.lost[kind] += trap.lost
        problems = lost_wrongly(result) if trap.lost else [] if result.value == value else ["not lost, but no result"]
        if output[:1] != [toolcell.TextOutput(text="one")]:
            problems.append(f"output is {output}")
        if self.calls[id] != 1:
            problems.append(f"{self.calls[id]} calls")
        if after.value != "next":
            problems.append("the next cell did not run")
        if problems:
            self.wrong.append(f"{kind} {id}: {problems}: {result}")


def lost_wrongly(result: toolcell.CellResult) -> list[str]:
    problems: list[str] = []
    if (result.code, result.reason) != ("runtime_unavailable", "worker_crashed"):
        problems.append("wrong code")
    if [call.outcome for call in result.calls or ()] != ["ok"]:
        problems.append("its call is not reported")
    return problems


async def bystand(run: toolcell.Run, victims: Victims) -> int:
    """Run cells beside the victims; returns how many gave their value and were put out in order."""
    count = 0
    while victims.wanted:
        result = await run.exec({"code": f"text('a'); await step({{id: {-1 - count}}}); await yield_control(); return {count}"})
        result = await run.wait({"runId": result.run_id})
        assert result.value == count
        count += 1
    return count


@pytest.mark.timeout(180)
async def test_a_kill_at_any_moment_costs_its_own_cell_and_nothing_else() -> None:
    victims = Victims()
    config = {"timeoutMs": 60_000}

    async with (
        toolcell.CodeMode(config, executor=WatchedExecutor()) as code_mode,
        code_mode.run(tools=victims.tools(), force=True) as one,
        code_mode.run(tools=victims.tools(), force=True) as two,
        code_mode.run(tools=victims.tools(), force=True) as three,
    ):
        _, _, beside = await asyncio.gather(victims.lane(one), victims.lane(two), bystand(three, victims))

    print(f"seed {SEED}: {dict(victims.lost)} lost in {victims.attempts} cells, {beside} cells beside them")
    assert victims.wrong == []
    assert {kind for kind, count in victims.lost.items() if count >= KILLS_EACH} == set(CELLS)
    assert beside > 0
