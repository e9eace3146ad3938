"""What happens to a stored cell's calls, written down where other processes see it.

A note of each kind exists once for each call, so the store itself decides who dispatches a call and which decision
counts, whatever processes race for it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from toolcell import _native
from toolcell.errors import EnvelopeError, InvalidDecisionError, StoreError, UnknownToolError
from toolcell.policy.refusal import outcome_unknown
from toolcell.runtime.pending import Pending, Stage
from toolcell.runtime.record import decode_outcome, encode_outcome
from toolcell.settlement import CallFailure
from toolcell.store.owner import is_alive, this_process
from toolcell.store.protocol import Absence, Note, NoteKind
from toolcell.values import Json, json_text

if TYPE_CHECKING:
    from toolcell.runtime.cell import Cell


log = logging.getLogger("toolcell")

PEER_CHECK_S = 0.2
"""How often a cell of a durable store looks for what other processes did."""
HELD = (Stage.APPROVAL, Stage.ASKING, Stage.CLIENT)
"""Stages in which a call waits for someone."""


class Journal:
    """The notes of one cell in a durable store."""

    __slots__ = ("_cell",)

    def __init__(self, cell: Cell) -> None:
        self._cell = cell

    async def claim(self, pending: Pending) -> bool:
        """Whether this process may take a call, or run it after its approval; false if another one did."""
        if self._cell.generation == 0:
            return True
        return await self._add(pending.number, "approved" if pending.approved else "dispatch", this_process().encode())

    async def decide(self, number: int, decision: str, value: Json) -> bool:
        """Write a decision down; false if there is one already."""
        if self._cell.generation == 0:
            return True
        return await self._add(number, "decision", encode_decision(decision, value))

    def keep(self, number: int, outcome: bytes | CallFailure) -> None:
        """Write a result down, in the background."""
        self._cell.run.code_mode.background(self._add(number, "result", encode_outcome(outcome)))

    def hold(self, pending: Pending) -> None:
        """Write down, in the background, that a call waits for someone."""
        self._cell.run.code_mode.background(self._add(pending.number, "held", encode_hold(pending)))

    def set_expiry(self, expires_at: float | None) -> None:
        """Change when the stored cell expires, in the background."""
        cell = self._cell
        cell.run.code_mode.background(cell.run.store.set_expiry(cell.cell_id, cell.generation, expires_at))

    async def abandon(self) -> None:
        """Tell other processes that this one no longer works for the cell."""
        for pending in list(self._cell.calls.pending.values()):
            if pending.stage in (Stage.AUTHORISING, Stage.RUNNING):
                await self._add(pending.number, "released", b"")

    async def still_ours(self) -> Absence | None:
        """``None`` if the store has the cell as this process knows it, else what became of it elsewhere."""
        cell = self._cell
        if cell.unstored is not None:
            return None
        found = await cell.run.store.generation(cell.cell_id)
        if isinstance(found, Absence):
            return found
        return None if found == cell.generation else Absence.CLAIMED

    async def aborted(self) -> bool:
        """Whether another process, of the same scope, wants the cell to end."""
        cell = self._cell
        wanted = abort_note(cell.source.scope)
        return cell.generation > 0 and wanted in await cell.run.store.notes(cell.cell_id)

    async def watch(self) -> None:
        """Abort the cell, which runs here, once another process wants it."""
        while True:
            await asyncio.sleep(PEER_CHECK_S)
            try:
                if await self.aborted():
                    return await self._cell.abort("aborted")
            except EnvelopeError:  # notes that were tampered with; the next `wait` is refused for it
                return
            except StoreError as error:  # the cell goes on, and hears of it when the store works again
                log.warning("can't see whether another process aborts %s: %s", self._cell.cell_id, error)

    async def catch_up(self) -> None:
        """Apply what other processes did since."""
        cell = self._cell
        if cell.generation == 0:
            return
        noted: dict[int, dict[NoteKind, bytes]] = {}
        for note in await cell.run.store.notes(cell.cell_id):
            noted.setdefault(note.call, {})[note.kind] = note.payload
        for pending in list(cell.calls.pending.values()):
            if pending.call is not None:
                self._apply(pending, noted.get(pending.number, {}))

    def _apply(self, pending: Pending, notes: dict[NoteKind, bytes]) -> None:
        calls = self._cell.calls
        if pending.stage in (Stage.AUTHORISING, Stage.RUNNING):
            return  # this process knows best
        if "result" in notes:
            outcome = decode_outcome(notes["result"])
            calls.settle(pending, outcome, "ok" if isinstance(outcome, bytes) else "error")
            return
        taken = notes.get("approved")
        if taken is None and pending.stage is not Stage.APPROVAL and not pending.approved:
            taken = notes.get("dispatch")  # an older note than an approval that is waited for or given
        if taken is not None and pending.stage in (Stage.QUEUED, Stage.APPROVAL, Stage.REMOTE):
            pending.owner = taken.decode()
            calls.move(pending, Stage.REMOTE)
        if "approved" not in notes and "held" in notes and pending.stage is Stage.REMOTE:
            calls.move(pending, apply_hold(pending, notes["held"]))
        if "decision" in notes and pending.stage is Stage.APPROVAL:
            decision, value = decode_decision(notes["decision"])
            try:
                calls.decide(pending, decision, value)
            except InvalidDecisionError:  # the tool's schema has changed since
                calls.decide(pending, "deny", None)
        if pending.stage is Stage.REMOTE and ("released" in notes or pending.owner is None or not is_alive(pending.owner)):
            self._orphaned(pending)

    def _orphaned(self, pending: Pending) -> None:
        """The process that ran the call is gone: run it again if that does no harm."""
        calls = self._cell.calls
        call = pending.call
        assert call is not None
        try:
            replay_safe = self._cell.run.pipeline.resolve(call.target, call.form).tool.replay_safe
        except UnknownToolError:
            replay_safe = False
        if replay_safe:
            calls.rerun(pending)
        else:
            calls.settle(pending, outcome_unknown(call.tool_name), "unknown")

    async def _add(self, number: int, kind: NoteKind, payload: bytes) -> bool:
        return await self._cell.run.store.add_note(self._cell.cell_id, Note(number, kind, payload))


def abort_note(scope: bytes) -> Note:
    """Say that a cell shall end. Each scope has a note of its own, so that no other one's stands in its way."""
    return Note(-1 - int.from_bytes(scope[:7], "little"), "abort", scope)


def encode_hold(pending: Pending) -> bytes:
    """Encode that a call waits for someone, and with which input."""
    assert pending.call is not None
    stage = Stage.APPROVAL if pending.stage is Stage.ASKING else pending.stage
    return json_text([stage.name, pending.call.value]).encode()


def apply_hold(pending: Pending, payload: bytes) -> Stage:
    """Take the input from a held note; returns the stage that the call is in."""
    assert pending.call is not None
    stage, pending.call.value = _native.decode_json(payload)
    return Stage[stage]


def encode_decision(decision: str, value: Json) -> bytes:
    """Encode a decision note."""
    return json_text([decision, value]).encode()


def decode_decision(payload: bytes) -> tuple[str, Any]:
    """Decode a decision note."""
    decision, value = _native.decode_json(payload)
    return decision, value
