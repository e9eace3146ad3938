"""A parked cell: its continuation in the store, and the clock that runs while nobody works for it."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from toolcell.errors import StoreError
from toolcell.runtime import failures
from toolcell.runtime.journal import HELD
from toolcell.runtime.record import CellRecord, encode_record
from toolcell.runtime.state import PARKED
from toolcell.store.owner import this_process
from toolcell.store.protocol import StoredCell

if TYPE_CHECKING:
    from toolcell.runtime.cell import Cell

WORK_HORIZON_S = 86_400.0
"""A stored cell whose host work is pending expires this much later, for the case that its process died."""


async def store(cell: Cell, image: bytes) -> None:
    """Give the image to the store, as the next generation.

    Raises:
        StoreError: the store can't be used; the cell stays resumable in this process.
    """
    ttl = float(cell.run.config.snapshot_ttl_seconds)
    record = b"" if cell.journal is None else encode_record(_record(cell))
    cell.generation += 1
    stored = StoredCell(cell.cell_id, cell.generation, cell.source.scope, record, image, ttl, _expires_at(cell, ttl))
    known = len(cell.calls.settled)
    stages = {number: pending.stage for number, pending in cell.calls.pending.items()}
    try:
        await cell.run.store.put(stored)
    except StoreError as error:
        cell.unstored = stored
        cell.generation -= 1  # the store knows nothing of this park
        rest(cell)
        error.__dict__["run_id"] = cell.cell_id
        raise
    rest(cell)
    if cell.journal is not None:
        for number, outcome in cell.calls.settled[known:]:
            cell.journal.keep(number, outcome)
        for number, pending in cell.calls.pending.items():
            if pending.stage is not stages.get(number) and pending.stage in HELD:
                cell.journal.hold(pending)


def rest(cell: Cell) -> None:
    """Be parked from now on, or again after a `wait` that did not resume."""
    cell.state = PARKED
    arm_expiry(cell)


def arm_expiry(cell: Cell) -> None:
    """Start the idle clock if no work is pending; it is stopped while there is some."""
    stop_expiry(cell)
    if cell.calls.idle and not cell.aborted:
        ttl = float(cell.run.config.snapshot_ttl_seconds)
        cell.expiry = asyncio.get_running_loop().call_later(ttl, _expire, cell)
        if cell.journal is not None and cell.unstored is None:
            cell.journal.set_expiry(time.time() + ttl)


def stop_expiry(cell: Cell) -> None:
    """Stop the idle clock."""
    if cell.expiry is not None:
        cell.expiry.cancel()
        cell.expiry = None


def _expire(cell: Cell) -> None:
    if cell.state is PARKED:
        cell.lose()
        cell.run.code_mode.background(_leave_tombstone(cell))


async def _leave_tombstone(cell: Cell) -> None:
    """End in the store too, unless another process has taken the cell further."""
    if cell.unstored is not None or await cell.run.store.expire(cell.cell_id, cell.generation):
        cell.run.telemetry.continuations.expired += 1
        cell.tell_failed(failures.EXPIRED)


def _expires_at(cell: Cell, ttl: float) -> float | None:
    if cell.calls.idle:
        return time.time() + ttl
    return time.time() + ttl + WORK_HORIZON_S if cell.calls.host_work else None


def _record(cell: Cell) -> CellRecord:
    calls = cell.calls
    return CellRecord(
        build=cell.run.build,
        title=cell.title,
        restart_safe=cell.restart_safe,
        limits=cell.limits,
        spent_bytes=cell.output.spent_bytes,
        legs=cell.legs,
        restored=cell.restored,
        untrusted=calls.untrusted,
        created=cell.created,
        owner=this_process(),
        pending=list(calls.pending.values()),
        settled=list(calls.settled),
        summaries=calls.call_log.rows,
    )
