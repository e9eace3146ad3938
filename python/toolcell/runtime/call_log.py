"""What results and subscribers are told of a cell's calls."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolcell.policy.nested_call import CallOutcome, NestedCall
from toolcell.results import CallRow, CallSummary, Outcome
from toolcell.runtime.pending import Pending, Stage
from toolcell.settlement import CallFailure
from toolcell.telemetry import ApprovalRequested, NestedCallFinished, NestedCallStarted

if TYPE_CHECKING:
    from toolcell.runtime.run import Run

_OUTCOMES: dict[Stage, Outcome] = {Stage.RUNNING: "unknown", Stage.CLIENT: "pending", Stage.REMOTE: "unknown"}
"""Of calls that were dispatched and have not ended."""


class CallLog:
    """The calls of one cell that have ended, in the order in which they did. ``run`` is the one the cell is in now."""

    __slots__ = ("rows", "starts")

    def __init__(self) -> None:
        self.rows: list[CallRow] = []
        self.starts: dict[int, float] = {}
        """Loop time of the start of each call that this process began, by its number."""

    def started(self, run: Run, call: NestedCall) -> None:
        """A tool gets the call."""
        if run.subscribers:
            assert call.entry is not None
            shown = run.pipeline.shown(call)
            run.subscribers.tell(
                NestedCallStarted(call.cell_id, call.call_id, call.tool_name, call.entry.id, call.parent_id, shown)
            )

    def asked(self, run: Run, call: NestedCall) -> None:
        """The call needs an approval."""
        if run.subscribers:
            run.subscribers.tell(ApprovalRequested(call.cell_id, call.call_id, call.tool_name))

    def ended(self, run: Run, pending: Pending, label: CallOutcome, outcome: bytes | CallFailure) -> None:
        """The call has its outcome."""
        assert pending.call is not None
        self.rows.append((pending.number, pending.call.tool_name, label, _duration_ms(pending)))
        if pending.started:
            self.starts[pending.number] = pending.started
        if run.subscribers:
            _tell_ended(run, pending, label, outcome.code if isinstance(outcome, CallFailure) else None)

    def given_up(self, run: Run, pending: Pending) -> None:
        """The cell ends before the call does. Told once, and only of a call that a tool got."""
        call = pending.call
        dispatched = pending.stage in (Stage.RUNNING, Stage.CLIENT)
        if run.subscribers and dispatched and call is not None and not call.signal.aborted:
            _tell_ended(run, pending, "unknown", None)

    def summaries(self, cell_id: str, unsettled: Iterable[Pending]) -> list[CallSummary]:
        """Every call that had been dispatched, in call order."""
        rows = list(self.rows)
        for pending in unsettled:
            outcome = _OUTCOMES.get(pending.stage)
            if pending.call is not None and outcome is not None:
                rows.append((pending.number, pending.call.tool_name, outcome, _duration_ms(pending)))
        return [
            CallSummary(id=f"{cell_id}/{number}", tool=tool, outcome=outcome, duration_ms=duration)
            for number, tool, outcome, duration in sorted(rows)
        ]


def _tell_ended(run: Run, pending: Pending, label: CallOutcome, code: str | None) -> None:
    call = pending.call
    assert call is not None
    run.subscribers.tell(
        NestedCallFinished(call.cell_id, call.call_id, call.tool_name, label, _duration_ms(pending), call.parent_id, code)
    )


def _duration_ms(pending: Pending) -> int:
    return int((time.monotonic() - pending.started) * 1000) if pending.started else 0
