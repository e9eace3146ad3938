"""One cell from `exec` to its end."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING

from toolcell.errors import EnvelopeError, StoreError
from toolcell.executor.protocol import CellSource, Completed, Failed, Gone, Guest, LegEnd, Limits, Refused
from toolcell.results import CellResult
from toolcell.runtime import failures, legs, parking, report
from toolcell.runtime.alarm import Alarm
from toolcell.runtime.calls import Calls
from toolcell.runtime.failures import Failure
from toolcell.runtime.journal import Journal
from toolcell.runtime.output import CellOutput
from toolcell.runtime.pending import Pending
from toolcell.runtime.state import DONE, LIVE, PARKED, State
from toolcell.store.protocol import Absence, StoredCell
from toolcell.telemetry import CellFinished, LimitHit

if TYPE_CHECKING:
    from toolcell.runtime.run import Run

log = logging.getLogger("toolcell")


class Cell:
    """A cell of this process. A parked one holds no image; that is in the store."""

    __slots__ = (
        "aborted",
        "alarm",
        "asked_before",
        "calls",
        "created",
        "expiry",
        "generation",
        "guest",
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
        self.state: State = LIVE
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
        self.guest: Guest | None = None
        """The worker's cell while it is in one."""
        self.alarm = Alarm()
        self.expiry: asyncio.TimerHandle | None = None
        self.aborted = False
        self.asked_before = 0.0
        """`PendingCalls.asking_seconds` when the `exec` or `wait` began."""

    @property
    def cell_id(self) -> str:
        """The id that results call ``runId``."""
        return self.source.cell_id

    def remaining_ms(self, deadline: float) -> float:
        """Guest time that is left: time spent on asking a callback for approval does not count."""
        return (deadline - time.monotonic() + self.calls.asking_seconds() - self.asked_before) * 1000

    async def start(self, guest: Guest, deadline: float) -> CellResult:
        """Run the cell until it ends, waits for too long, or must wait for someone."""
        try:
            return await legs.first(self, guest, deadline)
        finally:
            self.alarm.stop()

    async def wait(self, deadline: float) -> CellResult:
        """Wait until something settled, then resume. The caller has set the state to ``LIVE``."""
        try:
            return await legs.later(self, deadline)
        except EnvelopeError:
            if self.guest is not None:  # claimed already: this was its only chance
                self.release()
                return await self.fail(failures.RESTORE_FAILED)
            parking.rest(self)
            return report.failed(self, failures.RESTORE_FAILED)
        except StoreError:
            if self.state is LIVE and self.guest is None:
                parking.rest(self)
            raise
        finally:
            self.alarm.stop()

    async def abort(self, why: str) -> None:
        """End the cell now, whatever it does."""
        self.aborted = True
        self.calls.cancel(why)
        if self.state is PARKED:
            await self._dispose()
            self.run.telemetry.continuations.dropped += 1
            self.tell_failed(failures.ABORTED)
        elif self.guest is not None:
            self.guest.kill()
        self.alarm.ring()

    async def interrupted(self) -> None:
        """The caller of `exec` or `wait` was cancelled: a cell that lies in the store stays there, a live one ends."""
        guest, self.guest = self.guest, None
        if guest is None and self.state is LIVE and (self.generation > 0 or self.unstored is not None):
            parking.rest(self)
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

    async def finish(self, end: LegEnd) -> CellResult:
        """The worker said how the cell ended, or is gone."""
        if isinstance(end, Completed):
            return await self._complete(end)
        if isinstance(end, Gone) and (self.aborted or end.reason == "closed"):
            return await self.fail(failures.ABORTED)
        assert isinstance(end, Failed | Gone | Refused)
        if isinstance(end, Failed) and any(name.startswith("MCP.") for name in end.missing):
            self.calls.untrusted = True  # what may have been meant is told in a server's words
        return await self.fail(failures.from_worker(end, self.run.suggest))

    async def fail(self, failure: Failure) -> CellResult:
        """End the cell as failed."""
        calls = self.calls.summaries()
        result = report.failed(self, failure, calls or None)
        self.tell_failed(failure)
        await self._dispose()
        return result

    def lost(self, absence: Absence) -> CellResult:
        """Another process has the cell, or nobody has it any more."""
        result = report.failed(self, ABSENCES[absence])
        self.lose()
        return result

    def lose(self) -> None:
        """The store no longer has the cell: nothing of it is left here."""
        self._leave("the cell is gone")

    def release(self) -> None:
        """Give up the worker."""
        if self.guest is not None:
            self.guest.release()
            self.guest = None

    def tell_failed(self, failure: Failure) -> None:
        """Tell the subscribers that the cell ended so."""
        subscribers = self.run.subscribers
        if not subscribers:
            return
        if failure.limit is not None:
            subscribers.tell(LimitHit(self.cell_id, failure.limit))
        subscribers.tell(CellFinished(self.cell_id, "failed", failure.code, failure.reason))

    async def _complete(self, end: Completed) -> CellResult:
        try:
            result = report.completed(self, end)
        except ValueError as error:
            log.error("a worker sent a value that can't be one: %s", error)
            return await self.fail(failures.CRASHED)
        if self.run.subscribers:
            self.run.subscribers.tell(CellFinished(self.cell_id, "completed", None, None))
        await self._dispose()
        return result

    async def _dispose(self) -> None:
        """Reach the end: nothing of the cell is left."""
        self._leave("the cell ended")
        if self.generation > 0:
            await self.run.store.end(self.cell_id)

    def _leave(self, why: str) -> None:
        self.state = DONE
        parking.stop_expiry(self)
        self.calls.cancel(why)
        self.calls.close()
        self.run.code_mode.forget(self)

    def _changed(self, pending: Pending | None) -> None:
        """A call settled, or waits for someone from now on."""
        self.alarm.ring()
        if self.state is not PARKED or pending is None:
            return
        if self.journal is not None:
            if pending.number in self.calls.pending:
                self.journal.hold(pending)
            else:
                self.journal.keep(*self.calls.settled[-1])
        parking.arm_expiry(self)


ABSENCES = {
    Absence.UNKNOWN: failures.UNKNOWN_RUN,
    Absence.EXPIRED: failures.EXPIRED,
    Absence.CLAIMED: failures.ALREADY_RESUMING,
}
