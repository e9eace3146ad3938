"""Which cell a `wait` means, and whether it may have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolcell.errors import EnvelopeError
from toolcell.runtime import failures
from toolcell.runtime.adopt import adopt
from toolcell.runtime.cell import ABSENCES, Cell
from toolcell.runtime.failures import Failure
from toolcell.runtime.state import State
from toolcell.store.protocol import Absence

if TYPE_CHECKING:
    from toolcell.runtime.run import Run


async def claim(run: Run, run_id: str) -> Cell | Failure:
    """Find a waiting cell and make it live.

    The order of the checks is fixed: absent or expired, another scope, already resuming.

    Raises:
        StoreError: the store can't be used.
    """
    code_mode = run.code_mode
    cell = code_mode.cells.get(run_id)
    resting = cell is None or (cell.state is State.PARKED and cell.unstored is None)
    if resting and (cell is None or run.store.durable):
        try:
            stored = await run.store.peek(run_id)
            if isinstance(stored, Absence):
                if cell is not None and stored is not Absence.CLAIMED:
                    cell.lose()
                return ABSENCES[stored]
            if not run.store.durable:
                return failures.UNKNOWN_RUN
            if not run.scope.owns(stored.scope):
                return failures.WRONG_SCOPE
            if cell is None or cell.generation != stored.generation:
                if cell is not None:
                    code_mode.supersede(cell)
                cell = adopt(run, stored)
        except EnvelopeError:
            return failures.RESTORE_FAILED
    assert cell is not None
    if not run.scope.owns(cell.source.scope):
        return failures.WRONG_SCOPE
    if cell.state is not State.PARKED:
        return failures.ALREADY_RESUMING
    if not cell.reserved and not code_mode.reserve(cell):
        return failures.TOO_MANY_SUSPENDED
    cell.state = State.LIVE
    cell.run = cell.calls.run = run
    code_mode.cells[run_id] = cell
    return cell
