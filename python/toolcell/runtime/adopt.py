"""A cell that another process stored becomes a cell of this one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolcell.errors import EnvelopeError, UnknownToolError
from toolcell.executor.protocol import CellSource
from toolcell.runtime.cell import Cell
from toolcell.runtime.output import CellOutput
from toolcell.runtime.pending import Pending, Stage
from toolcell.runtime.record import decode_record
from toolcell.runtime.state import State
from toolcell.store.protocol import StoredCell

if TYPE_CHECKING:
    from toolcell.runtime.run import Run


def adopt(run: Run, stored: StoredCell) -> Cell:
    """Make a parked cell from what a durable store holds. It is not claimed yet.

    Raises:
        EnvelopeError: another version of toolcell, or another build of the worker, made it.
    """
    record = decode_record(stored.cell_id, stored.record)
    if record.build != run.build:
        raise EnvelopeError("the stored continuation was made by another build of toolcell")
    source = CellSource(stored.cell_id, stored.scope, "", False, False, None, 0)
    cell = Cell(run, source, record.limits, title=record.title, restart_safe=record.restart_safe)
    cell.state = State.PARKED
    cell.generation = stored.generation
    cell.created = record.created
    cell.legs = record.legs
    cell.restored = record.restored
    cell.output = CellOutput(record.limits.output_bytes, truncate=record.limits.truncate_output, spent_bytes=record.spent_bytes)
    calls = cell.calls
    calls.untrusted = record.untrusted
    calls.settled = list(record.settled)
    calls.call_log.rows = record.summaries
    for pending in record.pending:
        _bind(run, pending)
        calls.restore(pending)
    return cell


def _bind(run: Run, pending: Pending) -> None:
    """Resolve the tool again where the call is past its validation; a call whose tool is gone fails when it runs."""
    call = pending.call
    if call is None:
        return
    if pending.stage is Stage.ASKING:
        # Whoever was asked is in another process: ask again from the start, or wait for a decision.
        pending.stage = Stage.QUEUED if run.pipeline.has_callback else Stage.APPROVAL
    if pending.stage is not Stage.QUEUED or pending.approved:
        try:
            call.entry = run.pipeline.resolve(call.target, call.form)
        except UnknownToolError:
            pending.approved = False
