"""One cell from `exec` to its end: legs, parks, resumes."""

from __future__ import annotations

import asyncio
import enum
import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from toolcell.errors import EnvelopeError, RuntimeUnavailableError, StoreError
from toolcell.executor.protocol import (
    CellSource,
    Completed,
    Failed,
    Gone,
    Guest,
    Leg,
    LegEnd,
    Limits,
    Parked,
    Refused,
    Waiting,
)
from toolcell.results import CellResult
from toolcell.runtime import failures, report
from toolcell.runtime.calls import MAX_TURN_S, Calls
from toolcell.runtime.failures import Failure
from toolcell.runtime.journal import HELD, Journal
from toolcell.runtime.output import CellOutput
from toolcell.runtime.pending import Pending
from toolcell.runtime.record import CellRecord, encode_record
from toolcell.store.owner import this_process
from toolcell.store.protocol import Absence, StoredCell
from toolcell.telemetry import CellFinished, CellResumed, CellSuspended, LimitHit

if TYPE_CHECKING:
    from toolcell.runtime.run import Run

log = logging.getLogger("toolcell")

PARK_FLOOR_SHARE = 0.05
MAX_PARK_FLOOR_S = 0.05
"""Parking starts this long before the deadline, or at 5 % of a short one, so that the result is there in time."""
MIN_PARK_MS = 1_000.0
"""A park may take this long even when the deadline is nearer: the guest does not run meanwhile."""
PEER_CHECK_S = 0.2
"""How often a `wait` on a durable store looks for what other processes did."""
WORK_HORIZON_S = 86_400.0
"""A stored cell whose host work is pending expires this much later, for the case that its process died."""


class State(enum.Enum):
    """What a cell is doing."""

    LIVE = enum.auto()
    """In an `exec` or `wait`."""
    PARKED = enum.auto()
    DONE = enum.auto()


# Looking a member up on its class takes half a microsecond in Python 3.11, a global none.
LIVE, PARKED, DONE = State


class Cell:
    """A cell of this process. A parked one holds no image; that is in the store."""

    __slots__ = (
        "_aborted",
        "_alarm",
        "_alarm_at",
        "_asked_before",
        "_expiry",
        "_guest",
        "_waker",
        "calls",
        "created",
        "generation",
        "journal",
        "legs",
        "limits",
        "output",
        "reserved",
        "restart_safe",
        "restored",
        "run",
        "source",
        "state",
        "title",
        "unstored",
    )

    def __init__(self, run: Run, source: CellSource, limits: Limits, *, title: str | None, restart_safe: bool) -> None:
        self.run = run
        self.source = source
        self.limits = limits
        self.title = title
        self.restart_safe = restart_safe
        self.state = LIVE
        self.legs = 0
        self.restored = 0
        self.generation = 0
        """Number of parks that the store knows of."""
        self.created = time.time()
        self.reserved = False
        """Whether the cell counts for ``maxSuspended``."""
        self.unstored: StoredCell | None = None
        """The parked cell while the store could not take it."""
        self.output = CellOutput(limits.output_bytes, truncate=limits.truncate_output)
        self.journal = Journal(self) if run.store.durable else None
        self.calls = Calls(source.cell_id, run, self._changed, None if self.journal is None else self.journal.claim)
        self._guest: Guest | None = None
        self._waker: asyncio.Future[None] | None = None
        self._alarm: asyncio.TimerHandle | None = None
        """Wakes the cell at the time that it waits for at most; kept from leg to leg."""
        self._alarm_at = 0.0
        self._expiry: asyncio.TimerHandle | None = None
        self._aborted = False
        self._asked_before = 0.0

    @property
    def cell_id(self) -> str:
        """The id that results call ``runId``."""
        return self.source.cell_id

    async def start(self, guest: Guest, deadline: float) -> CellResult:
        """Run the cell until it ends, waits for too long, or must wait for someone."""
        timeout_ms = self._remaining_ms(deadline)
        if timeout_ms <= 0:  # the worker came too late
            guest.release()
            return await self._fail(failures.TOO_LATE)
        self._guest = guest
        guest.stream(self.output.add)
        leg = await guest.start(self.source, self.limits, timeout_ms=timeout_ms)
        try:
            return await self._drive(guest, leg, deadline)
        finally:
            self._stop_alarm()

    async def wait(self, deadline: float) -> CellResult:
        """Wait until something settled, then resume. The caller has set the state to ``LIVE``."""
        try:
            return await self._wait(deadline)
        except EnvelopeError:
            if self._guest is not None:  # claimed already: this was its only chance
                self._let_go(self._guest)
                return await self._fail(failures.RESTORE_FAILED)
            self._rest()
            return report.failed(self, failures.RESTORE_FAILED)
        except StoreError:
            if self.state is LIVE and self._guest is None:
                self._rest()
            raise
        finally:
            self._stop_alarm()

    async def _wait(self, deadline: float) -> CellResult:
        self._stop_expiry()
        self._asked_before = self.calls.asking_seconds()
        self.calls.settle_yields()
        if self.journal is not None:
            await self.journal.catch_up()
        last = deadline - self._floor()
        while not self._aborted:
            if time_left(last) <= 0:
                self._rest()
                return report.waiting(self)
            if self.calls.settled:
                break
            until = last
            if self.journal is not None and self.calls.external:
                until = min(until, time.monotonic() + PEER_CHECK_S)
            if not await self._until_change(until) and self.journal is not None:
                absence = await self.journal.still_ours()
                if absence is not None:
                    return self._lost(absence)
                await self.journal.catch_up()
        if self._aborted:
            return await self._fail(failures.ABORTED)
        return await self._resume(deadline)

    async def abort(self, why: str) -> None:
        """End the cell now, whatever it does."""
        self._aborted = True
        self.calls.cancel(why)
        if self.state is PARKED:
            await self._dispose()
            self.run.telemetry.continuations.dropped += 1
            self._tell_failed(failures.ABORTED)
        elif self._guest is not None:
            self._guest.kill()
        self._poke()

    async def interrupted(self) -> None:
        """The caller of `exec` or `wait` was cancelled: a cell that lies in the store stays there, a live one ends."""
        guest, self._guest = self._guest, None
        if guest is None and self.state is LIVE and (self.generation > 0 or self.unstored is not None):
            self._rest()
            return
        if guest is not None:
            guest.release()
        self.calls.cancel("the caller was cancelled")
        if self.state is LIVE:
            await self._dispose()

    async def detach(self) -> None:
        """Leave a cell of a durable store to other processes; work of this one ends, its outcome unknown."""
        if self.journal is not None and self.state is PARKED:
            await self.journal.abandon()
            if not self.calls.external:  # nobody works for it any more: it is idle from now on
                until = time.time() + self.run.config.snapshot_ttl_seconds
                await self.run.store.set_expiry(self.cell_id, self.generation, until)
        self.lose()

    async def _resume(self, deadline: float) -> CellResult:
        try:
            guest = await self.run.lease()
        except RuntimeUnavailableError as error:
            self._rest()
            return report.failed(self, failures.unavailable(error.message))
        if time_left(deadline) <= self._floor():  # the worker came too late: the cell stays as it is
            guest.release()
            self._rest()
            return report.waiting(self)
        try:
            stored = self.unstored or await self.run.store.take(self.cell_id, self.generation)
        except StoreError:
            guest.release()
            raise
        if isinstance(stored, Absence):
            guest.release()
            return self._lost(stored)
        self.unstored = None
        self._guest = guest
        if self.journal is not None:
            await self.journal.catch_up()
        if self._aborted:
            self._let_go(guest)
            return await self._fail(failures.ABORTED)
        self.restored += 1
        self.run.telemetry.continuations.restored += 1
        if self.run.subscribers:
            self.run.subscribers.tell(CellResumed(self.cell_id))
        limits = replace(self.limits, output_bytes=max(self.limits.output_bytes - self.output.spent_bytes, 1))
        timeout_ms = max(self._remaining_ms(deadline), 1.0)
        guest.stream(self.output.add)
        leg = await guest.resume(self.source, stored.image, limits, self.calls.take(), timeout_ms=timeout_ms)
        return await self._drive(guest, leg, deadline)

    async def _drive(self, guest: Guest, leg: Leg, deadline: float) -> CellResult:
        """Run legs until the cell ends or parks."""
        until = deadline - self._floor()
        turn_at = time.monotonic() + MAX_TURN_S
        while True:
            self.legs += 1
            if leg.output:
                self.output.add(leg.output)
            end = leg.end
            if type(end) is not Waiting:
                self._guest = None
                return await self._finish(end)
            await self.calls.look_up(end)
            problem = failures.ABORTED if self._aborted else self._admit(end)
            if problem is not None:
                self._let_go(guest)
                return await self._fail(problem)
            if time.monotonic() >= turn_at:
                await asyncio.sleep(0)
                turn_at = time.monotonic() + MAX_TURN_S
            ready = await self._next(until)
            if self._aborted:
                self._let_go(guest)
                return await self._fail(failures.ABORTED)
            if not ready:
                return await self._park(guest, deadline)
            leg = await guest.settle(self.calls.take(), timeout_ms=max(self._remaining_ms(deadline), 1.0))

    def _admit(self, end: Waiting) -> Failure | None:
        if not self.reserved and end.outstanding > 0 and not self.run.code_mode.reserve(self):
            return failures.TOO_MANY_SUSPENDED
        return self.calls.admit(end, restart_safe=self.restart_safe)

    async def _next(self, until: float) -> bool:
        """Wait for the next settlement; false if the cell must park instead."""
        calls = self.calls
        stepwise = not self.run.config.auto_drain or self.restart_safe
        while not self._aborted:
            must_park = stepwise or calls.needs_person
            if must_park and not calls.authorising:
                return False
            if calls.settled and not must_park:
                return time.monotonic() < until  # too late for another leg: what settled is kept for the next `wait`
            if not calls.host_work or not await self._until_change(self._look_round(until)):
                if not calls.remote or time_left(until) <= 0:
                    return False
                assert self.journal is not None
                await self.journal.catch_up()
        return False

    def _look_round(self, until: float) -> float:
        """When to wait no longer without a look at what other processes did."""
        return min(until, time.monotonic() + PEER_CHECK_S) if self.calls.remote else until

    async def _until_change(self, until: float) -> bool:
        """Wait for a call to change; false when the time is over."""
        left = time_left(until)
        if left <= 0:
            return False
        loop = asyncio.get_running_loop()
        if self._alarm is None or self._alarm_at != until:
            self._stop_alarm()
            self._alarm = loop.call_later(left, self._ring)
            self._alarm_at = until
        self._waker = loop.create_future()
        try:
            await self._waker
        finally:
            self._waker = None
        return time_left(until) > 0

    async def _park(self, guest: Guest, deadline: float) -> CellResult:
        leg = await guest.park(timeout_ms=max(self._remaining_ms(deadline), MIN_PARK_MS))
        self._guest = None
        if leg.output:
            self.output.add(leg.output)
        if self._aborted:
            return await self._fail(failures.ABORTED)
        if not isinstance(leg.end, Parked):
            return await self._finish(leg.end)
        self.generation += 1
        await self._put(leg.end.image)
        result = report.waiting(self)
        self.run.telemetry.continuations.stored += 1
        if self.run.subscribers:
            self.run.subscribers.tell(CellSuspended(self.cell_id, str(result.reason), len(leg.end.image)))
        if self._aborted:
            return await self._fail(failures.ABORTED)
        return result

    async def _put(self, image: bytes) -> None:
        """Give the image to the store; if that fails, the cell stays resumable in this process."""
        ttl = float(self.run.config.snapshot_ttl_seconds)
        record = b"" if self.journal is None else encode_record(self._record())
        stored = StoredCell(self.cell_id, self.generation, self.source.scope, record, image, ttl, self._expires_at(ttl))
        known = len(self.calls.settled)
        stages = {number: pending.stage for number, pending in self.calls.pending.items()}
        try:
            await self.run.store.put(stored)
        except StoreError as error:
            self.unstored = stored
            self.generation -= 1  # the store knows nothing of this park
            self._rest()
            error.__dict__["run_id"] = self.cell_id
            raise
        self.state = PARKED
        self._arm_expiry()
        if self.journal is not None:
            for number, outcome in self.calls.settled[known:]:
                self.journal.keep(number, outcome)
            for number, pending in self.calls.pending.items():
                if pending.stage is not stages.get(number) and pending.stage in HELD:
                    self.journal.hold(pending)

    def _record(self) -> CellRecord:
        calls = self.calls
        return CellRecord(
            build=self.run.build,
            title=self.title,
            restart_safe=self.restart_safe,
            limits=self.limits,
            spent_bytes=self.output.spent_bytes,
            legs=self.legs,
            restored=self.restored,
            untrusted=calls.untrusted,
            created=self.created,
            owner=this_process(),
            pending=list(calls.pending.values()),
            settled=list(calls.settled),
            summaries=calls.stored_summaries(),
        )

    def _changed(self, pending: Pending | None) -> None:
        """A call settled, or waits for someone from now on."""
        if self._waker is not None:
            self._poke()
        if self.state is not PARKED or pending is None:
            return
        if self.journal is not None:
            if pending.number in self.calls.pending:
                self.journal.hold(pending)
            else:
                self.journal.keep(*self.calls.settled[-1])
        self._arm_expiry()

    def _floor(self) -> float:
        """Time before a deadline, in seconds, that is kept for parking."""
        return min(MAX_PARK_FLOOR_S, PARK_FLOOR_SHARE * self.run.config.timeout_ms / 1000)

    def _ring(self) -> None:
        self._alarm = None
        self._poke()

    def _stop_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _poke(self) -> None:
        waker = self._waker
        if waker is not None and not waker.done():
            waker.set_result(None)

    def _rest(self) -> None:
        """Go back to being parked after a `wait` that did not resume."""
        self.state = PARKED
        self._arm_expiry()

    def _expires_at(self, ttl: float) -> float | None:
        if self.calls.idle:
            return time.time() + ttl
        return time.time() + ttl + WORK_HORIZON_S if self.calls.host_work else None

    def _arm_expiry(self) -> None:
        """Start the idle clock if no work is pending; it is stopped while there is some."""
        self._stop_expiry()
        if self.calls.idle and not self._aborted:
            ttl = float(self.run.config.snapshot_ttl_seconds)
            self._expiry = asyncio.get_running_loop().call_later(ttl, self._expire)
            if self.journal is not None and self.unstored is None:
                self.journal.set_expiry(time.time() + ttl)

    def _stop_expiry(self) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None

    def _expire(self) -> None:
        if self.state is PARKED:
            self.lose()
            self.run.code_mode.background(self._leave_tombstone())

    async def _leave_tombstone(self) -> None:
        """End in the store too, unless another process has taken the cell further."""
        if self.unstored is not None or await self.run.store.expire(self.cell_id, self.generation):
            self.run.telemetry.continuations.expired += 1
            self._tell_failed(failures.EXPIRED)

    async def _finish(self, end: LegEnd) -> CellResult:
        """The worker said how the cell ended, or is gone."""
        if isinstance(end, Completed):
            return await self._complete(end)
        if isinstance(end, Gone) and (self._aborted or end.reason == "closed"):
            return await self._fail(failures.ABORTED)
        assert isinstance(end, Failed | Gone | Refused)
        return await self._fail(failures.from_worker(end, self.run.catalog.suggest))

    async def _complete(self, end: Completed) -> CellResult:
        try:
            result = report.completed(self, end)
        except ValueError as error:
            log.error("a worker sent a value that can't be one: %s", error)
            return await self._fail(failures.CRASHED)
        if self.run.subscribers:
            self.run.subscribers.tell(CellFinished(self.cell_id, "completed", None, None))
        await self._dispose()
        return result

    async def _fail(self, failure: Failure) -> CellResult:
        calls = self.calls.summaries()
        result = report.failed(self, failure, calls or None)
        self._tell_failed(failure)
        await self._dispose()
        return result

    def _tell_failed(self, failure: Failure) -> None:
        subscribers = self.run.subscribers
        if not subscribers:
            return
        if failure.limit is not None:
            subscribers.tell(LimitHit(self.cell_id, failure.limit))
        subscribers.tell(CellFinished(self.cell_id, "failed", failure.code, failure.reason))

    def _lost(self, absence: Absence) -> CellResult:
        """Another process has the cell, or nobody has it any more."""
        failure = ABSENCES[absence]
        result = report.failed(self, failure)
        self.lose()
        return result

    def lose(self) -> None:
        """The store no longer has the cell: nothing of it is left here."""
        self.calls.cancel("the cell is gone")
        self._stop_expiry()
        self.state = DONE
        self.calls.close()
        self.run.code_mode.forget(self)

    async def _dispose(self) -> None:
        """Reach the end: nothing of the cell is left."""
        self.state = DONE
        self._stop_expiry()
        if self.calls.pending:
            self.calls.cancel("the cell ended")
        self.calls.close()
        self.run.code_mode.forget(self)
        if self.generation > 0:
            await self.run.store.end(self.cell_id)

    def _let_go(self, guest: Guest) -> None:
        self._guest = None
        guest.release()

    def _remaining_ms(self, deadline: float) -> float:
        """Guest time that is left: time spent on asking a callback for approval does not count."""
        return (time_left(deadline) + self.calls.asking_seconds() - self._asked_before) * 1000


ABSENCES = {
    Absence.UNKNOWN: failures.UNKNOWN_RUN,
    Absence.EXPIRED: failures.EXPIRED,
    Absence.CLAIMED: failures.ALREADY_RESUMING,
}


def time_left(deadline: float) -> float:
    """Seconds until a time of the monotonic clock; negative if it has passed."""
    return deadline - time.monotonic()
