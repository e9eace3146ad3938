"""Legs of a cell, one after another, until the cell ends or must park."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from toolcell.errors import RuntimeUnavailableError, StoreError
from toolcell.executor.protocol import Guest, Leg, Parked, Waiting
from toolcell.results import CellResult
from toolcell.runtime import failures, parking, report
from toolcell.runtime.alarm import time_left
from toolcell.runtime.eager import MAX_TURN_S
from toolcell.runtime.failures import Failure
from toolcell.runtime.journal import PEER_CHECK_S
from toolcell.runtime.lookups import look_up
from toolcell.store.protocol import Absence
from toolcell.telemetry import CellResumed, CellSuspended

if TYPE_CHECKING:
    from toolcell.runtime.cell import Cell

PARK_FLOOR_SHARE = 0.05
MAX_PARK_FLOOR_S = 0.05
"""Parking starts this long before the deadline, or at 5 % of a short one, so that the result is there in time."""
MIN_PARK_MS = 1_000.0
"""A park may take this long even when the deadline is nearer: the guest does not run meanwhile."""


async def first(cell: Cell, guest: Guest, deadline: float) -> CellResult:
    """Run a new cell."""
    timeout_ms = cell.remaining_ms(deadline)
    if timeout_ms <= 0:  # the worker came too late
        guest.release()
        return await cell.fail(failures.TOO_LATE)
    cell.guest = guest
    guest.stream(cell.output.add)
    leg = await guest.start(cell.source, cell.limits, timeout_ms=timeout_ms)
    return await _drive(cell, guest, leg, deadline)


async def later(cell: Cell, deadline: float) -> CellResult:
    """Wait until something has settled, then resume the cell."""
    parking.stop_expiry(cell)
    cell.asked_before = cell.calls.asking_seconds()
    cell.calls.settle_yields()
    if cell.journal is not None:
        await cell.journal.catch_up()
    last = deadline - _floor(cell)
    while not cell.aborted:
        if time_left(last) <= 0:
            parking.rest(cell)
            return report.waiting(cell)
        if cell.calls.settled:
            break
        until = last
        if cell.journal is not None and cell.calls.external:
            until = min(until, time.monotonic() + PEER_CHECK_S)
        if not await cell.alarm.until(until) and cell.journal is not None:
            absence = await cell.journal.still_ours()
            if absence is not None:
                return cell.lost(absence)
            await cell.journal.catch_up()
    if cell.aborted:
        return await cell.fail(failures.ABORTED)
    return await _resume(cell, deadline)


async def _resume(cell: Cell, deadline: float) -> CellResult:
    try:
        guest = await cell.run.lease()
    except RuntimeUnavailableError as error:
        parking.rest(cell)
        return report.failed(cell, failures.unavailable(error.message))
    if time_left(deadline) <= _floor(cell):  # the worker came too late: the cell stays as it is
        guest.release()
        parking.rest(cell)
        return report.waiting(cell)
    try:
        stored = cell.unstored or await cell.run.store.take(cell.cell_id, cell.generation)
    except StoreError:
        guest.release()
        raise
    if isinstance(stored, Absence):
        guest.release()
        return cell.lost(stored)
    cell.unstored = None
    cell.guest = guest
    if cell.journal is not None:
        await cell.journal.catch_up()
    if cell.aborted:
        cell.release()
        return await cell.fail(failures.ABORTED)
    cell.restored += 1
    cell.run.telemetry.continuations.restored += 1
    if cell.run.subscribers:
        cell.run.subscribers.tell(CellResumed(cell.cell_id))
    limits = replace(cell.limits, output_bytes=max(cell.limits.output_bytes - cell.output.spent_bytes, 1))
    timeout_ms = max(cell.remaining_ms(deadline), 1.0)
    guest.stream(cell.output.add)
    watch = None if cell.journal is None else asyncio.create_task(cell.journal.watch())
    try:
        leg = await guest.resume(cell.source, stored.image, limits, cell.calls.take(), timeout_ms=timeout_ms)
        return await _drive(cell, guest, leg, deadline)
    finally:
        if watch is not None:
            watch.cancel()


async def _drive(cell: Cell, guest: Guest, leg: Leg, deadline: float) -> CellResult:
    until = deadline - _floor(cell)
    turn_at = time.monotonic() + MAX_TURN_S
    while True:
        cell.legs += 1
        if leg.output:
            cell.output.add(leg.output)
        if leg.foreign_words:
            cell.calls.untrusted = True
        end = leg.end
        if type(end) is not Waiting:
            cell.guest = None
            return await cell.finish(end)
        problem = await look_up(cell, end, deadline)
        problem = problem or _admit(cell, end)
        if problem is not None:
            cell.release()
            return await cell.fail(problem)
        if time.monotonic() >= turn_at:
            await asyncio.sleep(0)
            turn_at = time.monotonic() + MAX_TURN_S
        ready = await _next(cell, until)
        if cell.aborted:
            cell.release()
            return await cell.fail(failures.ABORTED)
        if not ready:
            return await _park(cell, guest, deadline)
        leg = await guest.settle(cell.calls.take(), timeout_ms=max(cell.remaining_ms(deadline), 1.0))


def _admit(cell: Cell, end: Waiting) -> Failure | None:
    if not cell.reserved and end.outstanding > 0 and not cell.run.code_mode.reserve(cell):
        return failures.TOO_MANY_SUSPENDED
    return cell.calls.admit(end, restart_safe=cell.restart_safe)


async def _next(cell: Cell, until: float) -> bool:
    """Wait for the next settlement; false if the cell must park instead."""
    calls = cell.calls
    stepwise = not cell.run.config.auto_drain or cell.restart_safe
    while not cell.aborted:
        must_park = stepwise or calls.needs_person
        if must_park and not calls.authorising:
            return False
        if calls.settled and not must_park:
            return time.monotonic() < until  # too late for another leg: what settled is kept for the next `wait`
        if not calls.host_work:
            return False
        look_at = min(until, time.monotonic() + PEER_CHECK_S) if calls.remote else until
        if not await cell.alarm.until(look_at):
            if not calls.remote or time_left(until) <= 0:
                return False
            assert cell.journal is not None
            await cell.journal.catch_up()
    return False


async def _park(cell: Cell, guest: Guest, deadline: float) -> CellResult:
    leg = await guest.park(timeout_ms=max(cell.remaining_ms(deadline), MIN_PARK_MS))
    cell.guest = None
    if leg.output:
        cell.output.add(leg.output)
    if cell.aborted:
        return await cell.fail(failures.ABORTED)
    if not isinstance(leg.end, Parked):
        return await cell.finish(leg.end)
    await parking.store(cell, leg.end.image)
    if cell.journal is not None and cell.generation > 1 and await cell.journal.aborted():
        return await cell.fail(failures.ABORTED)
    result = report.waiting(cell)
    cell.run.telemetry.continuations.stored += 1
    if cell.run.subscribers:
        cell.run.subscribers.tell(CellSuspended(cell.cell_id, str(result.reason), len(leg.end.image)))
    if cell.aborted:
        return await cell.fail(failures.ABORTED)
    return result


def _floor(cell: Cell) -> float:
    """Time before a deadline, in seconds, that is kept for parking."""
    return min(MAX_PARK_FLOOR_S, PARK_FLOOR_SHARE * cell.run.config.timeout_ms / 1000)
