"""The result of a cell, from its state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolcell.executor.protocol import Completed
from toolcell.results import CallSummary, CellResult
from toolcell.runtime.failures import Failure

if TYPE_CHECKING:
    from toolcell.runtime.cell import Cell


def completed(cell: Cell, end: Completed) -> CellResult:
    """The cell returned. One that returned nothing and emitted nothing is told how to."""
    value, shortened = cell.output.truncate_value(end.value)
    warnings = [*end.warnings, *([] if shortened is None else [shortened])]
    if value is None and not cell.output.anything:
        warnings.append(_empty_warning(cell))
    result = CellResult(
        status="completed",
        value=value,
        output=cell.output.deliver(),
        warnings=warnings or None,
        telemetry=cell.run.telemetry.snapshot(cell.legs, cell.restored),
    )
    return _attached(cell, result)


def waiting(cell: Cell) -> CellResult:
    """The cell waits, for what its calls say."""
    result = CellResult(
        status="waiting",
        run_id=cell.cell_id,
        reason=cell.calls.reason(),
        pending_tool_calls=cell.calls.describe() or None,
        output=cell.output.deliver(),
        replay_safe=True if cell.restart_safe else None,
        telemetry=cell.run.telemetry.snapshot(cell.legs, cell.restored),
    )
    return _attached(cell, result)


def failed(cell: Cell, failure: Failure, calls: list[CallSummary] | None = None) -> CellResult:
    """The cell failed, or can't be resumed; ``calls`` are those that had been dispatched."""
    result = CellResult(
        status="failed",
        error=failure.error,
        code=failure.code,
        reason=failure.reason,
        phase=failure.phase,
        location=failure.location,
        preview=failure.preview,
        calls=calls,
        output=cell.output.deliver(),
        replay_safe=True if cell.restart_safe else None,
        telemetry=cell.run.telemetry.snapshot(cell.legs, cell.restored),
    )
    return _attached(cell, result)


def _attached(cell: Cell, result: CellResult) -> CellResult:
    """Give the result what stands beside its fields."""
    if cell.calls.untrusted:
        result.set_envelope(cell.run.envelope)
    result.resolve(cell.run.contents)
    log = cell.calls.call_log
    if log.rows:
        result.set_calls(tuple(log.rows), log.starts)
    return result


def _empty_warning(cell: Cell) -> str:
    ran = ", ".join(dict.fromkeys(call.tool for call in cell.calls.summaries()))
    what = f"It called: {ran[:400]}. " if ran else ""
    return f"The cell returned nothing and emitted nothing. {what}Use `return value`, text(value) or json(value)."
