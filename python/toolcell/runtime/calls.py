"""The pending host work of one cell: dispatch in call order, settlement in completion order."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any

from toolcell import _native
from toolcell.errors import UnknownToolError
from toolcell.executor.protocol import GuestCall, Waiting
from toolcell.policy.nested_call import CallOutcome, NestedCall
from toolcell.policy.refusal import CallRefusedError, denied
from toolcell.results import CallSummary, Outcome, PendingToolCall, WaitReason
from toolcell.runtime import eager
from toolcell.runtime.failures import Failure, side_effect, too_much_input
from toolcell.runtime.pending import HOLDS_SLOT, HOST_STAGES, Pending, Stage
from toolcell.settlement import MAX_MESSAGE_CHARS, CallFailure, Settled
from toolcell.telemetry import ApprovalRequested, NestedCallFinished, NestedCallStarted
from toolcell.values import Json

if TYPE_CHECKING:
    from toolcell.runtime.run import Run

log = logging.getLogger("toolcell")

MAX_TURN_S = 0.005
"""Calls that end at once leave the event loop to others after this time."""
LOOKUPS = frozenset({"search", "search_handles", "describe"})

# Looking a member up on its class takes half a microsecond in Python 3.11, a global none.
QUEUED, RUNNING, ASKING, APPROVAL, CLIENT, REMOTE, TIMER, YIELD, AUTHORISING = Stage


class Calls:
    """Pending calls of one cell and the results the guest has not got yet.

    ``changed`` is called with a call after its settlement and when it begins to wait for someone, and with ``None`` when
    the cell may be parked now. ``claim`` is asked before a call runs and says whether this process may run it.
    """

    __slots__ = (
        "_asking_since",
        "_asking_total",
        "_changed",
        "_claim",
        "_counts",
        "_fired",
        "_free_slots",
        "_input_bytes",
        "_loop",
        "_pumping",
        "_ready",
        "_summaries",
        "cell_id",
        "parent_id",
        "pending",
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
        self.cell_id = cell_id
        self.run = run
        self.pending: dict[int, Pending] = {}
        self.settled: list[Settled] = []
        self.parent_id: str | None = None
        """The model's `exec` or `wait` call that new calls run under."""
        self.untrusted = False
        """Whether a tool that isn't trusted was called."""
        self._changed = changed
        self._claim = claim
        self._loop = asyncio.get_running_loop()
        self._ready: deque[Pending] = deque()
        self._free_slots = run.config.max_pending_tool_calls
        self._counts = [0] * len(Stage)
        self._fired: dict[int, float] = {}
        self._input_bytes = 0
        """Input of unsettled calls. The guest's heap does not bound it: what was sent is free there."""
        self._summaries: list[tuple[int, str, Outcome, int]] = []
        self._asking_since = 0.0
        self._asking_total = 0.0
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
        sent = self._input_bytes + sum(len(call.input) for call in leg.calls if call.input is not None)
        if sent > config.memory_limit_bytes + config.max_bridge_bytes:
            return too_much_input(sent)
        self._input_bytes = sent
        for call in leg.calls:
            self._admit(call)
        self._pump()
        return None

    async def look_up(self, leg: Waiting) -> None:
        """Answer the searches and descriptions of a leg, which need no dispatch, and let others have the loop."""
        turn_at = time.monotonic() + MAX_TURN_S
        counters = self.run.telemetry.bridge_calls
        for call in leg.calls:
            if call.method not in LOOKUPS:
                continue
            if call.method == "describe":
                counters.describe += 1
            else:
                counters.search += 1
            self.settled.append((call.number, self._look_up(call)))
            if time.monotonic() >= turn_at:
                await asyncio.sleep(0)
                turn_at = time.monotonic() + MAX_TURN_S

    def take(self) -> list[Settled]:
        """Take all results, in completion order; timers among themselves by due time, then number."""
        settled, self.settled = self.settled, []
        if not self._fired:
            return settled
        if len(self._fired) > 1:
            fired = self._fired
            places = [index for index, (number, _) in enumerate(settled) if number in fired]
            timers = sorted((settled[index] for index in places), key=lambda item: (fired[item[0]], item[0]))
            for index, timer in zip(places, timers, strict=True):
                settled[index] = timer
        self._fired.clear()
        return settled

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

    def summaries(self) -> list[CallSummary]:
        """Every call that had been dispatched, in call order."""
        rows = [*self._summaries, *self._unsettled()]
        return [
            CallSummary(id=f"{self.cell_id}/{number}", tool=tool, outcome=outcome, duration_ms=duration)
            for number, tool, outcome, duration in sorted(rows)
        ]

    def settle_yields(self) -> None:
        """Give every yield its turn."""
        for pending in [p for p in self.pending.values() if p.stage is YIELD]:
            value = {"status": "yielded", "reason": pending.reason}
            self.settle(pending, _native.encode_json(value, max_depth=4, max_bytes=1 << 26), None)

    def settle(self, pending: Pending, outcome: bytes | CallFailure, label: CallOutcome | None) -> None:
        """End a call; later ends of the same call are ignored. ``label`` is ``None`` for what is no tool call."""
        if self.pending.pop(pending.number, None) is None:
            return
        self._leave(pending.stage)
        if pending.call is not None and pending.call.input is not None:
            self._input_bytes -= len(pending.call.input)
        self.settled.append((pending.number, outcome))
        if label is not None:
            self._summarise(pending, label, outcome)
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
        self.pending[pending.number] = pending
        self._counts[pending.stage] += 1
        if pending.call is not None and pending.call.input is not None:
            self._input_bytes += len(pending.call.input)
        if pending.stage in HOLDS_SLOT:
            self._free_slots -= 1
        if pending.stage is QUEUED:
            self._ready.append(pending)
        elif pending.stage is TIMER:
            self._arm(pending, max(pending.due - time.time(), 0.0))

    def restore_summaries(self, rows: list[tuple[int, str, Outcome, int]]) -> None:
        """Take the summaries of earlier legs from a stored record."""
        self._summaries = rows

    def stored_summaries(self) -> list[tuple[int, str, Outcome, int]]:
        """Summaries of settled calls, for a stored record."""
        return self._summaries

    def pump(self) -> None:
        """Dispatch what may run; for calls that came from a record."""
        self._pump()

    def move(self, pending: Pending, stage: Stage) -> None:
        """Change where a call is."""
        self._leave(pending.stage)
        pending.stage = stage
        if stage is ASKING and not self._counts[stage]:
            self._asking_since = time.monotonic()
        self._counts[stage] += 1
        if stage in HOLDS_SLOT:
            self._free_slots -= 1

    def under(self, parent_id: str) -> None:
        """From now on calls run under this `exec` or `wait` of the model; so do those that another process admitted."""
        self.parent_id = parent_id
        for pending in self.pending.values():
            if pending.call is not None and pending.call.parent_id is None:
                pending.call.parent_id = parent_id

    def cancel(self, why: str) -> None:
        """Stop all work of this cell."""
        for pending in self.pending.values():
            if self.run.subscribers and pending.stage in (RUNNING, CLIENT) and not _is_cancelled(pending):
                self._tell_finished(pending, "unknown", None)
            pending.cancel(why)
        self._ready.clear()

    def close(self) -> None:
        """The cell has ended: it hears of no more changes, and without a reference back to it is freed at once."""
        self._changed = _nobody

    def _admit(self, call: GuestCall) -> None:
        number, method = call.number, call.method
        if method in ("call_value", "call"):
            self.run.telemetry.bridge_calls.call += 1
            nested = NestedCall(self.cell_id, number, call.target or "", call.input, method == "call", self.parent_id)
            pending = Pending(number, QUEUED, nested)
            self._ready.append(pending)
        elif method == "timer":
            delay = (call.delay_ms or 0) / 1000
            pending = Pending(number, TIMER, due=time.time() + delay)
            self._arm(pending, delay)
        elif method == "yield":
            pending = Pending(number, YIELD, reason=call.target)
        else:
            return  # answered by `look_up`
        self.pending[number] = pending
        self._counts[pending.stage] += 1

    def _look_up(self, call: GuestCall) -> bytes | CallFailure:
        """Answer `tools.search`, `catalog.search` and `tools.describe`."""
        config, catalog, target = self.run.config, self.run.catalog, call.target or ""
        try:
            if call.method in ("search", "search_handles"):
                wanted = config.search_default_limit if call.limit is None else call.limit
                found: Any = catalog.search(target, max(1, min(wanted, config.max_search_limit)))
            else:
                found = catalog.describe(self.run.pipeline.resolve(target))
            return _native.encode_json(found, max_depth=512, max_bytes=config.max_bridge_bytes)
        except (UnknownToolError, ValueError) as error:
            code = error.code if isinstance(error, UnknownToolError) else "lookup_failed"
            return CallFailure("ToolError", str(error)[:MAX_MESSAGE_CHARS], code, target[:256])

    def _side_effect(self, leg: Waiting) -> Failure | None:
        for call in leg.calls:
            if call.method not in ("call", "call_value"):
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
        while self._ready and self._free_slots > 0:
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
            if not tool.trusted:
                self.untrusted = True
            if self.run.subscribers:
                self._tell_started(call)
            if pending.stage is CLIENT:
                self._changed(pending)
                return
            if not self._counts[AUTHORISING]:
                self._changed(None)
            self.settle(pending, await pipeline.execute(call), "ok")
        except CallRefusedError as refusal:
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
        if self.run.subscribers:
            self.run.subscribers.tell(ApprovalRequested(self.cell_id, call.call_id, call.tool_name))
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

    def _enqueue(self, pending: Pending) -> None:
        self.move(pending, QUEUED)
        self._ready.append(pending)

    def _leave(self, stage: Stage) -> None:
        self._counts[stage] -= 1
        if stage is ASKING and not self._counts[stage]:
            self._asking_total += time.monotonic() - self._asking_since
        if stage in HOLDS_SLOT:
            self._free_slots += 1

    def _arm(self, pending: Pending, delay: float) -> None:
        pending.timer = self._loop.call_later(delay, self._fire, pending)

    def _fire(self, pending: Pending) -> None:
        self._fired[pending.number] = pending.due
        self.settle(pending, b"null", None)

    def _cancel_timer(self, number: int) -> None:
        pending = self.pending.get(number)
        if pending is not None and pending.stage is TIMER:
            pending.cancel("cleared")
            del self.pending[number]
            self._leave(TIMER)
        elif self._fired.pop(number, None) is not None:
            self.settled = [item for item in self.settled if item[0] != number]

    def _summarise(self, pending: Pending, label: CallOutcome, outcome: bytes | CallFailure) -> None:
        assert pending.call is not None
        self._summaries.append((pending.number, pending.call.tool_name, label, _duration_ms(pending)))
        if self.run.subscribers:
            self._tell_finished(pending, label, outcome.code if isinstance(outcome, CallFailure) else None)

    def _tell_started(self, call: NestedCall) -> None:
        assert call.entry is not None
        shown = self.run.pipeline.shown(call)
        event = NestedCallStarted(self.cell_id, call.call_id, call.tool_name, call.entry.id, call.parent_id, shown)
        self.run.subscribers.tell(event)

    def _tell_finished(self, pending: Pending, label: CallOutcome, code: str | None) -> None:
        call = pending.call
        assert call is not None
        self.run.subscribers.tell(
            NestedCallFinished(self.cell_id, call.call_id, call.tool_name, label, _duration_ms(pending), call.parent_id, code)
        )

    def _unsettled(self) -> Iterator[tuple[int, str, Outcome, int]]:
        for pending in self.pending.values():
            if pending.call is not None and pending.stage in (RUNNING, CLIENT, REMOTE):
                outcome: Outcome = "pending" if pending.stage is CLIENT else "unknown"
                yield pending.number, pending.call.tool_name, outcome, _duration_ms(pending)

    def _describe(self, pending: Pending) -> PendingToolCall:
        identity = f"{self.cell_id}/{pending.number}"
        call = pending.call
        if call is None:
            return PendingToolCall(id=identity, method="yield" if pending.stage is YIELD else "timer")
        shown = call.value if pending.stage in (APPROVAL, ASKING, CLIENT) else None
        method = "call" if call.envelope else "callValue"
        return PendingToolCall(id=identity, method=method, tool=call.tool_name, input=shown)


def _duration_ms(pending: Pending) -> int:
    return int((time.monotonic() - pending.started) * 1000) if pending.started else 0


def _is_cancelled(pending: Pending) -> bool:
    return pending.call is None or pending.call.signal.aborted


def _nobody(_: Pending | None) -> None:
    pass
