"""The pending calls of one cell, counted by stage: what the cell waits for."""

from __future__ import annotations

import time

from toolcell.results import PendingToolCall, WaitReason
from toolcell.runtime.pending import HOLDS_SLOT, HOST_STAGES, Pending, Stage

# Looking a member up on its class takes half a microsecond in Python 3.11, a global none.
QUEUED, RUNNING, ASKING, APPROVAL, CLIENT, REMOTE, TIMER, YIELD, AUTHORISING = Stage


_METHODS = {"call_value": "callValue", "call": "call", "mcp": "mcp", "mcp_raw": "mcp"}


class PendingCalls:
    """Pending calls by number, and how many slots and how much input they hold.

    Attributes:
        pending: The calls, in the order in which the guest made them.
        free_slots: Calls that may be dispatched beside those that are.
        input_bytes: Input of all of them. The guest's heap does not bound it: what was sent is free there.
    """

    __slots__ = ("_asking_since", "_asking_total", "_counts", "cell_id", "free_slots", "input_bytes", "pending")

    def __init__(self, cell_id: str, slots: int) -> None:
        self.cell_id = cell_id
        self.pending: dict[int, Pending] = {}
        self.free_slots = slots
        self.input_bytes = 0
        self._counts = [0] * len(Stage)
        self._asking_since = 0.0
        self._asking_total = 0.0

    def add(self, pending: Pending) -> None:
        """Add a call, in the stage it says."""
        self.pending[pending.number] = pending
        self._enter(pending.stage)
        if pending.call is not None and pending.call.input is not None:
            self.input_bytes += len(pending.call.input)

    def remove(self, pending: Pending) -> bool:
        """Remove a call; false if it is not there any more."""
        if self.pending.pop(pending.number, None) is None:
            return False
        self._leave(pending.stage)
        if pending.call is not None and pending.call.input is not None:
            self.input_bytes -= len(pending.call.input)
        return True

    def move(self, pending: Pending, stage: Stage) -> None:
        """Change where a call is."""
        self._leave(pending.stage)
        pending.stage = stage
        self._enter(stage)

    @property
    def needs_person(self) -> bool:
        """Whether a call waits for `Run.decide`, or the guest for its next turn."""
        return self._counts[APPROVAL] > 0 or self._counts[YIELD] > 0

    @property
    def authorising(self) -> bool:
        """Whether it isn't known yet of some call what it will wait for."""
        return self._counts[AUTHORISING] > 0

    @property
    def host_work(self) -> bool:
        """Whether something will settle without anyone outside doing something."""
        return any(self._counts[stage] for stage in HOST_STAGES)

    @property
    def idle(self) -> bool:
        """Whether the cell waits for nothing but its next turn."""
        return len(self.pending) == self._counts[YIELD]

    @property
    def remote(self) -> bool:
        """Whether another process runs a call of this cell."""
        return self._counts[REMOTE] > 0

    @property
    def external(self) -> bool:
        """Whether another process may settle something."""
        return bool(self._counts[APPROVAL] or self._counts[CLIENT] or self._counts[REMOTE])

    def asking_seconds(self) -> float:
        """Time so far during which a callback was asked for an approval."""
        running = time.monotonic() - self._asking_since if self._counts[ASKING] else 0.0
        return self._asking_total + running

    def reason(self) -> WaitReason:
        """Why the cell waits, when kinds mix: yield, then approval, then pending tools."""
        if self._counts[YIELD]:
            return "yield"
        return "approval" if self._counts[APPROVAL] or self._counts[ASKING] else "pending_tools"

    def describe(self) -> list[PendingToolCall]:
        """What the cell waits for. Input only where someone outside needs it."""
        return [self._describe(pending) for pending in self.pending.values()]

    def _enter(self, stage: Stage) -> None:
        if stage is ASKING and not self._counts[stage]:
            self._asking_since = time.monotonic()
        self._counts[stage] += 1
        if stage in HOLDS_SLOT:
            self.free_slots -= 1

    def _leave(self, stage: Stage) -> None:
        self._counts[stage] -= 1
        if stage is ASKING and not self._counts[stage]:
            self._asking_total += time.monotonic() - self._asking_since
        if stage in HOLDS_SLOT:
            self.free_slots += 1

    def _describe(self, pending: Pending) -> PendingToolCall:
        identity = f"{self.cell_id}/{pending.number}"
        call = pending.call
        if call is None:
            return PendingToolCall(id=identity, method="yield" if pending.stage is YIELD else "timer")
        shown = call.value if pending.stage in (APPROVAL, ASKING, CLIENT) else None
        method = _METHODS[call.form]
        tool_id = None if call.entry is None else call.entry.id
        return PendingToolCall(id=identity, method=method, tool=call.tool_name, input=shown, tool_id=tool_id)
