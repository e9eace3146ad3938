"""The host work of one cell: dispatch in call order, settlement in completion order."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, cast

from toolcell import _native
from toolcell.errors import UnknownToolError
from toolcell.executor.protocol import GuestCall, Waiting
from toolcell.policy.nested_call import CALL_FORMS, MCP_FORMS, CallForm, CallOutcome, NestedCall
from toolcell.policy.refusal import CallRefusedError, denied
from toolcell.results import CallSummary
from toolcell.runtime import eager
from toolcell.runtime.call_log import CallLog
from toolcell.runtime.eager import MAX_TURN_S
from toolcell.runtime.failures import Failure, side_effect, too_much_input
from toolcell.runtime.fired_timers import FiredTimers
from toolcell.runtime.pending import Pending, Stage
from toolcell.runtime.pending_calls import PendingCalls
from toolcell.settlement import CallFailure, Settled
from toolcell.values import Json

if TYPE_CHECKING:
    from toolcell.runtime.run import Run

log = logging.getLogger("toolcell")

# Looking a member up on its class takes half a microsecond in Python 3.11, a global none.
QUEUED, RUNNING, ASKING, APPROVAL, CLIENT, REMOTE, TIMER, YIELD, AUTHORISING = Stage


class Calls(PendingCalls):
    """Pending calls of one cell and the results the guest has not got yet.

    ``changed`` is called with a call after its settlement and when it begins to wait for someone, and with ``None`` when
    the cell may be parked now. ``claim`` is asked before a call runs and says whether this process may run it.
    """

    __slots__ = (
        "_changed",
        "_claim",
        "_fired",
        "_loop",
        "_pumping",
        "_ready",
        "call_log",
        "parent_id",
        "run",
        "settled",
        "untrusted",
    )

    def __init__(
        self,
        cell_id: str,
        run: Run,
        changed: Callable[[Pending | None], None],
        claim: Callable[[Pending], Coroutine[Any, Any, bool]] | None,
    ) -> None:
        super().__init__(cell_id, run.config.max_pending_tool_calls)
        self.run = run
        self.settled: list[Settled] = []
        self.call_log = CallLog()
        self.parent_id: str | None = None
        """The model's `exec` or `wait` call that new calls run under."""
        self.untrusted = False
        """Whether the cell has had words of someone whom the host does not trust."""
        self._changed = changed
        self._claim = claim
        self._loop = asyncio.get_running_loop()
        self._ready: deque[Pending] = deque()
        self._fired = FiredTimers()
        self._pumping = False

    def admit(self, leg: Waiting, *, restart_safe: bool) -> Failure | None:
        """Take the calls of a leg and dispatch what may run. A failure means that none of them was dispatched."""
        for number in leg.cancelled:
            self._cancel_timer(number)
        if restart_safe:
            refused = self._side_effect(leg)
            if refused is not None:
                return refused
        config = self.run.config
        sent = self.input_bytes + sum(len(call.input) for call in leg.calls if call.input is not None)
        if sent > config.memory_limit_bytes + config.max_bridge_bytes:
            return too_much_input(sent)
        for call in leg.calls:
            self._admit(call)
        self._pump()
        return None

    def take(self) -> list[Settled]:
        """Take all results, in completion order; timers among themselves by due time, then number."""
        settled, self.settled = self.settled, []
        return self._fired.take(settled)

    def summaries(self) -> list[CallSummary]:
        """Every call that had been dispatched, in call order."""
        return self.call_log.summaries(self.cell_id, self.pending.values())

    def settle_yields(self) -> None:
        """Give every yield its turn."""
        for pending in [p for p in self.pending.values() if p.stage is YIELD]:
            value = {"status": "yielded", "reason": pending.reason}
            self.settle(pending, _native.encode_json(value, max_depth=4, max_bytes=1 << 26), None)

    def settle(self, pending: Pending, outcome: bytes | CallFailure, label: CallOutcome | None) -> None:
        """End a call; later ends of the same call are ignored. ``label`` is ``None`` for what is no tool call."""
        if not self.remove(pending):
            return
        self.settled.append((pending.number, outcome))
        if label is not None:
            self.call_log.ended(self.run, pending, label, outcome)
        if self._ready:
            self._pump()
        self._changed(pending)

    def decide(self, pending: Pending, decision: str, value: Json) -> None:
        """Apply a person's decision to a call that waits for one.

        Raises:
            InvalidDecisionError: an unknown word or an edit that the tool refuses.
        """
        assert pending.call is not None
        self.finish_decision(pending, self.run.pipeline.decide(pending.call, decision, value))

    def finish_decision(self, pending: Pending, approved: bool) -> None:
        """Let an approved call run, settle a denied one."""
        assert pending.call is not None
        if not approved:
            refusal = denied(pending.call)
            self.settle(pending, refusal.failure, refusal.outcome)
            return
        pending.approved = True
        self._enqueue(pending)
        self._pump()

    def rerun(self, pending: Pending) -> None:
        """Run a replay-safe call again, because the process that ran it is gone."""
        pending.claimed = True
        self._enqueue(pending)
        self._pump()

    def restore(self, pending: Pending) -> None:
        """Add a call that comes from a stored record."""
        self.add(pending)
        if pending.stage is QUEUED:
            self._ready.append(pending)
        elif pending.stage is TIMER:
            self._arm(pending, max(pending.due - time.time(), 0.0))

    def under(self, parent_id: str) -> None:
        """From now on calls run under this `exec` or `wait` of the model; so do those that another process admitted."""
        self.parent_id = parent_id
        for pending in self.pending.values():
            if pending.call is not None and pending.call.parent_id is None:
                pending.call.parent_id = parent_id

    def cancel(self, why: str) -> None:
        """Stop all work of this cell."""
        for pending in self.pending.values():
            self.call_log.given_up(self.run, pending)
            pending.cancel(why)
        self._ready.clear()

    def close(self) -> None:
        """The cell has ended: it hears of no more changes, and without a reference back to it is freed at once."""
        self._changed = _nobody

    def _admit(self, call: GuestCall) -> None:
        number, method = call.number, call.method
        if method in CALL_FORMS:
            self.run.telemetry.bridge_calls.call += 1
            nested = NestedCall(self.cell_id, number, call.target or "", call.input, cast("CallForm", method), self.parent_id)
            pending = Pending(number, QUEUED, nested)
            self._ready.append(pending)
        elif method == "timer":
            delay = (call.delay_ms or 0) / 1000
            pending = Pending(number, TIMER, due=time.time() + delay)
            self._arm(pending, delay)
        elif method == "yield":
            pending = Pending(number, YIELD, reason=call.target)
        else:
            return  # a look-up, answered already
        self.add(pending)

    def _side_effect(self, leg: Waiting) -> Failure | None:
        for call in leg.calls:
            if call.method in MCP_FORMS:
                return side_effect((call.target or "").rpartition(":")[2])
            if call.method not in CALL_FORMS:
                continue
            try:
                tool = self.run.pipeline.resolve(call.target or "").tool
            except UnknownToolError:
                continue
            if not tool.replay_safe or tool.kind in ("mcp", "client"):
                return side_effect(tool.name)
        return None

    def _pump(self) -> None:
        if self._pumping:
            return  # a call that settles at once must not nest one more level
        self._pumping = True
        turn_at = time.monotonic() + MAX_TURN_S
        while self._ready and self.free_slots > 0:
            pending = self._ready.popleft()
            if pending.number in self.pending:
                self.move(pending, AUTHORISING)
                pending.task = eager.start(self._loop, self._serve(pending))
                if time.monotonic() >= turn_at:
                    self._loop.call_soon(self._pump)
                    break
        self._pumping = False

    async def _serve(self, pending: Pending) -> None:
        call = pending.call
        assert call is not None
        pipeline = self.run.pipeline
        try:
            if self._claim is not None and not pending.claimed and not await self._claim(pending):
                self.move(pending, REMOTE)
                self._pump()
                self._changed(None)
                return
            pending.started = time.monotonic()
            if pending.approved:
                await pipeline.recheck(call)
            elif await pipeline.authorise(call):
                await self._await_approval(pending)
                return
            assert call.entry is not None
            tool = call.entry.tool
            self.move(pending, CLIENT if tool.kind == "client" else RUNNING)
            self._doubt(call)
            self.call_log.started(self.run, call)
            if pending.stage is CLIENT:
                self._changed(pending)
                return
            if not self._counts[AUTHORISING]:
                self._changed(None)
            self.settle(pending, await pipeline.execute(call), "ok")
        except CallRefusedError as refusal:
            self._doubt(call)
            self.settle(pending, refusal.failure, refusal.outcome)
        except asyncio.CancelledError:
            if call.signal.aborted:
                raise
            name = call.tool_name  # the tool cancelled itself; the cell goes on
            self.settle(pending, CallFailure("ToolError", f"{name} was cancelled", "cancelled", name), "unknown")
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException:  # a tool that exits ends its call, not its host
            log.exception("a nested call failed in toolcell itself")
            name = call.tool_name
            self.settle(pending, CallFailure("ToolError", f"{name} failed on the host", "host_error", name), "unknown")

    async def _await_approval(self, pending: Pending) -> None:
        call = pending.call
        assert call is not None
        self._doubt(call)
        self.call_log.asked(self.run, call)
        pending.started = 0.0
        if not self.run.pipeline.has_callback:
            self.move(pending, APPROVAL)
            self._pump()
            self._changed(pending)
            return
        self.move(pending, ASKING)
        self._pump()
        self._changed(pending)
        approved = await self.run.pipeline.ask(call)
        if pending.number in self.pending and pending.stage is ASKING:
            self.finish_decision(pending, approved)

    def _doubt(self, call: NestedCall) -> None:
        """Note whose words the cell gets; a tool's name and what its schema refuses are its provider's words already."""
        if call.entry is not None and not call.entry.tool.trusted:
            self.untrusted = True

    def _enqueue(self, pending: Pending) -> None:
        self.move(pending, QUEUED)
        self._ready.append(pending)

    def _arm(self, pending: Pending, delay: float) -> None:
        pending.timer = self._loop.call_later(delay, self._fire, pending)

    def _fire(self, pending: Pending) -> None:
        self._fired.add(pending.number, pending.due)
        self.settle(pending, b"null", None)

    def _cancel_timer(self, number: int) -> None:
        pending = self.pending.get(number)
        if pending is not None and pending.stage is TIMER:
            pending.cancel("cleared")
            self.remove(pending)
        elif self._fired.discard(number):
            self.settled = [item for item in self.settled if item[0] != number]


def _nobody(_: Pending | None) -> None:
    pass
