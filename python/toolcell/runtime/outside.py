"""Decisions, client results and aborts that come from outside, for cells of this process or in a durable store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from toolcell.errors import CallNotPendingError, EnvelopeError, InvalidDecisionError, UnknownToolError
from toolcell.policy.nested_call import MCP_FORMS, NestedCall
from toolcell.policy.refusal import CallRefusedError
from toolcell.runtime.cell import Cell
from toolcell.runtime.journal import abort_note, apply_hold, encode_decision
from toolcell.runtime.pending import Pending, Stage
from toolcell.runtime.record import decode_record, encode_outcome
from toolcell.runtime.state import State
from toolcell.settlement import CallFailure
from toolcell.store.protocol import Absence, Note, StoredCell
from toolcell.values import Json, well_formed

if TYPE_CHECKING:
    from toolcell.runtime.run import Run

DECIDABLE = (Stage.APPROVAL, Stage.ASKING)


async def decide(run: Run, run_id: str, call_ids: Sequence[str], decision: str, value: Json) -> None:
    """Decide on calls; see `Run.decide`."""
    if decision == "edit" and len(call_ids) != 1:
        raise InvalidDecisionError("an edit is for one call")
    found = [await _find(run, run_id, call_id, DECIDABLE) for call_id in call_ids]
    before = [_input_of(pending) for _, pending in found]
    decided: list[bool] = []
    for call_id, (_, pending) in zip(call_ids, found, strict=True):
        call = pending.call
        assert call is not None
        if call.entry is None and decision != "deny":
            await _resolve(run, call, run_id, call_id)
        decided.append(run.pipeline.decide(call, decision, value))
    for (cell, pending), approved, (given, body) in zip(found, decided, before, strict=True):
        call = pending.call
        assert call is not None
        if not await _write_decision(run, cell, pending, decision, value):
            call.value, call.body = given, body
            raise _not_pending(run_id, call.call_id)
        if cell is not None:
            cell.calls.finish_decision(pending, approved)


def _input_of(pending: Pending) -> tuple[Json, Callable[[], Any] | None]:
    assert pending.call is not None
    return pending.call.value, pending.call.body


async def _write_decision(run: Run, cell: Cell | None, pending: Pending, decision: str, value: Json) -> bool:
    """Write a decision down; false if the call has one already, or ended meanwhile."""
    assert pending.call is not None
    if cell is None:
        return await run.store.add_note(pending.call.cell_id, Note(pending.number, "decision", encode_decision(decision, value)))
    if cell.journal is not None and not await cell.journal.decide(pending.number, decision, value):
        return False
    return cell.calls.pending.get(pending.number) is pending and pending.stage in DECIDABLE


async def abort(run: Run, run_id: str | None) -> None:
    """End one cell or all; see `Run.abort`."""
    for cell in [cell for cell in run.code_mode.cells.values() if run_id in (None, cell.cell_id) and _owns(run, cell)]:
        await cell.abort("aborted")
    if run.store.durable and run.scope.complete:
        for stored in await run.store.parked() if run_id is None else [run_id]:
            await _abort_stored(run, stored)


async def _abort_stored(run: Run, run_id: str) -> None:
    """End a cell that lies in the store, or ask the process that is running it to."""
    if run_id in run.code_mode.cells:
        return  # it is another run's, or has just been ended
    asked = False
    while True:
        try:
            stored = await run.store.peek(run_id)
            if isinstance(stored, StoredCell):
                if not run.scope.owns(stored.scope):
                    return
                stored = await run.store.take(run_id, stored.generation)
        except EnvelopeError:
            return  # another key's: nobody here may say whose it is
        if isinstance(stored, StoredCell):
            await run.store.end(run_id)
            run.telemetry.continuations.dropped += 1
            return
        if asked or stored is not Absence.CLAIMED:
            return
        await run.store.add_note(run_id, abort_note(run.scope.digest))
        asked = True  # it may have been parked before the note was there: look once more


def _owns(run: Run, cell: Cell) -> bool:
    """Whether a cell is this run's own, or of its scope."""
    return cell.run is run or run.scope.owns(cell.source.scope)


async def deliver(run: Run, run_id: str, call_id: str, *, value: Any, error: str | None) -> None:
    """Settle a client tool's call; see `Run.deliver`."""
    cell, pending = await _find(run, run_id, call_id, (Stage.CLIENT,))
    call = pending.call
    assert call is not None
    if call.entry is None:
        await _resolve(run, call, run_id, call_id)
    outcome: bytes | CallFailure
    if error is not None:
        outcome = CallFailure("ToolError", well_formed(error)[:2048], "client_error", call.tool_name)
    else:
        try:
            outcome = await run.pipeline.complete(call, value)
        except CallRefusedError as refusal:
            outcome = refusal.failure
    noted = cell is None or (cell.journal is not None and cell.generation > 0)
    if noted and not await run.store.add_note(run_id, Note(pending.number, "result", encode_outcome(outcome))):
        raise _not_pending(run_id, call_id)
    if cell is not None:
        if cell.calls.pending.get(pending.number) is not pending:
            raise _not_pending(run_id, call_id)
        cell.calls.settle(pending, outcome, "ok" if isinstance(outcome, bytes) else "error")


async def _find(run: Run, run_id: str, call_id: str, stages: tuple[Stage, ...]) -> tuple[Cell | None, Pending]:
    """Find a pending call in this process, else in the store (the cell is ``None`` then)."""
    prefix, _, number = call_id.rpartition("/")
    if prefix != run_id or not number.isascii() or not number.isdigit():
        raise _not_pending(run_id, call_id)
    cell = run.code_mode.cells.get(run_id)
    if cell is not None and await _is_overtaken(cell):
        run.code_mode.supersede(cell)
        cell = None
    if cell is not None and run.scope.owns(cell.source.scope) and cell.state is not State.DONE:
        pending = cell.calls.pending.get(int(number))
        if pending is not None and pending.stage in stages:
            return cell, pending
        raise _not_pending(run_id, call_id)
    if cell is None and run.store.durable:
        stored = await run.store.peek(run_id)
        if not isinstance(stored, Absence) and run.scope.owns(stored.scope):
            found = [pending for pending in decode_record(run_id, stored.record).pending if pending.number == int(number)]
            for note in await run.store.notes(run_id):
                if found and note.call == found[0].number and note.kind == "held" and found[0].stage is Stage.REMOTE:
                    found[0].stage = apply_hold(found[0], note.payload)
            if found and found[0].stage in stages:
                return None, found[0]
    raise _not_pending(run_id, call_id)


async def _is_overtaken(cell: Cell) -> bool:
    """Whether another process has taken a parked cell further than this one knows."""
    if cell.journal is None or cell.state is not State.PARKED or cell.unstored is not None:
        return False
    generation = await cell.run.store.generation(cell.cell_id)
    return isinstance(generation, int) and generation != cell.generation


async def _resolve(run: Run, call: NestedCall, run_id: str, call_id: str) -> None:
    if call.form in MCP_FORMS:
        await run.connect()
    try:
        call.entry = run.pipeline.resolve(call.target, call.form)
    except UnknownToolError as error:
        raise InvalidDecisionError(f"call {call_id} of {run_id} is for a tool that this run does not have: {error}") from None


def _not_pending(run_id: str, call_id: str) -> CallNotPendingError:
    return CallNotPendingError(f"call {call_id} of run {run_id} does not wait for this", run_id=run_id, call_id=call_id)
