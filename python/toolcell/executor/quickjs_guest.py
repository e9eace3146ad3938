"""One cell in a worker of the ``quickjs`` executor, and what the native pool says of it in the executor's words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from toolcell import _native
from toolcell.executor.protocol import (
    CellSource,
    Completed,
    Failed,
    Gone,
    GuestOutput,
    Leg,
    LegEnd,
    Limits,
    Parked,
    Refused,
    Waiting,
)
from toolcell.settlement import Settled

if TYPE_CHECKING:
    from toolcell.executor.quickjs import QuickJsSession

_FATAL = frozenset({"timeout", "memory_limit_exceeded"})
"""Failures after which a worker is not used again."""


class QuickJsGuest:
    """A cell in a worker. The worker goes back to its session when the cell ends in order."""

    __slots__ = ("_end", "_executor", "_foreign_words", "_future", "_gone", "_pool", "_reused", "_session", "_take", "_worker")

    def __init__(self, session: QuickJsSession, worker: int, *, reused: bool) -> None:
        self._session = session
        self._executor = session.executor
        self._pool = session.executor.pool
        self._worker = worker
        self._reused = reused
        self._take: Callable[[Sequence[GuestOutput]], None] = _nowhere
        self._end: LegEnd | None = None
        self._gone: Gone | None = None
        self._foreign_words = False
        self._future: asyncio.Future[None] | None = None
        self._executor.attach(worker, self)

    @property
    def pid(self) -> int:
        """Process id of the cell's worker, for diagnostics.

        Raises:
            NativeError: the worker has ended.
        """
        return self._pool.pid(self._worker)

    def stream(self, take: Callable[[Sequence[GuestOutput]], None]) -> None:
        self._take = take

    async def start(self, source: CellSource, limits: Limits, *, timeout_ms: float) -> Leg:
        native_limits = _native_limits(limits)
        while True:
            try:
                events = self._pool.start(
                    self._worker,
                    cell=source.cell_id,
                    scope=source.scope,
                    code=source.code,
                    typescript=source.typescript,
                    typescript_enabled=source.typescript_enabled,
                    shell_tool=source.shell_tool,
                    limits=native_limits,
                    timeout_ms=timeout_ms,
                    seed=source.seed,
                )
            except _native.WorkerGoneError:
                if not await self._replace():
                    return await self._leg(())
                continue
            return await self._leg(events)

    async def resume(
        self, source: CellSource, image: bytes, limits: Limits, settled: Sequence[Settled], *, timeout_ms: float
    ) -> Leg:
        native_limits = _native_limits(limits)
        while True:
            try:
                self._pool.restore(self._worker, cell=source.cell_id, scope=source.scope, image=image, limits=native_limits)
                events = self._pool.resume(self._worker, settled=settled, timeout_ms=timeout_ms)
            except _native.WorkerGoneError:
                if not await self._replace():
                    return await self._leg(())
                continue
            return await self._leg(events)

    async def settle(self, settled: Sequence[Settled], *, timeout_ms: float) -> Leg:
        try:
            events = self._pool.resume(self._worker, settled=settled, timeout_ms=timeout_ms)
        except _native.WorkerGoneError:
            events = ()
        return await self._leg(events)

    async def park(self, *, timeout_ms: float) -> Leg:
        try:
            events = self._pool.park(self._worker, timeout_ms=timeout_ms)
        except _native.WorkerGoneError:
            events = ()
        return await self._leg(events)

    def kill(self) -> None:
        with suppress(_native.WorkerGoneError):
            self._pool.kill(self._worker)

    def release(self) -> None:
        self._executor.detach(self._worker)
        self._session.forget(self._worker)
        self._executor.release(self._worker)

    def feed(self, events: Iterable[_native.Event]) -> None:
        """Take what the worker sent."""
        output: list[GuestOutput] = []
        for event in events:
            convert = _ENDS.get(type(event))
            if convert is None:
                if type(event) is _native.ForeignWords:
                    self._foreign_words = True
                else:
                    output.append(event)  # pyright: ignore[reportArgumentType]
                continue
            end = convert(event)
            if type(end) is Gone:
                self._gone = end
            if self._end is None:  # a worker that failed and then went away has failed
                self._end = end
        if output:
            self._take(output)
        if self._end is not None and self._future is not None and not self._future.done():
            self._future.set_result(None)

    def feed_end(self, end: LegEnd) -> None:
        """End the leg from the host's side."""
        self._end = self._end or end
        self.feed(())

    async def _leg(self, events: Iterable[_native.Event]) -> Leg:
        self.feed(events)
        if self._end is None:
            self._end = self._gone
        if self._end is None:
            self._future = asyncio.get_running_loop().create_future()
            try:
                await self._future
            finally:
                self._future = None
        end, self._end = self._end, None
        if type(end) is not Waiting:
            self._finish(end)
        assert end is not None
        return Leg((), end, self._foreign_words)

    def _finish(self, end: LegEnd | None) -> None:
        self._executor.detach(self._worker)
        if type(end) is Gone:
            self._session.forget(self._worker)
        elif type(end) is Failed and end.reason in _FATAL:
            self._session.forget(self._worker)
            self._executor.release(self._worker)
        else:
            self._session.give_back(self._worker)

    async def _replace(self) -> bool:
        """Put a fresh worker in the place of one that died while it was idle, so that nothing has run in it."""
        if not self._reused:
            return False
        self._reused = False
        self._executor.detach(self._worker)
        self._session.forget(self._worker)
        self._end = self._gone = None
        self._worker = await self._session.fresh()
        self._executor.attach(self._worker, self)
        return True


def _nowhere(_: Sequence[GuestOutput]) -> None:
    pass


def _native_limits(limits: Limits) -> _native.Limits:
    cached = _limits_cache.get(limits)
    if cached is None:
        cached = _native.Limits(
            heap_bytes=limits.heap_bytes,
            output_bytes=limits.output_bytes,
            truncate_output=limits.truncate_output,
            snapshot_bytes=limits.snapshot_bytes,
            bridge_bytes=limits.bridge_bytes,
            outstanding_calls=limits.outstanding_calls,
            value_depth=limits.value_depth,
            big_integers=limits.big_integers,
        )
        if len(_limits_cache) >= 64:
            _limits_cache.clear()
        _limits_cache[limits] = cached
    return cached


_limits_cache: dict[Limits, _native.Limits] = {}


def _failed(event: _native.Failed) -> Failed:
    return Failed(
        event.reason,
        event.message,
        event.stack,
        event.location,
        event.code_frame,
        event.hints,
        event.missing,
        event.preview,
    )


_ENDS: dict[type, Callable[[Any], LegEnd]] = {
    _native.Waiting: lambda event: Waiting(event.calls, event.cancelled, event.outstanding),
    _native.Completed: lambda event: Completed(event.value, event.warnings),
    _native.Failed: _failed,
    _native.Parked: lambda event: Parked(event.image),
    _native.Refused: lambda event: Refused(event.reason),
    _native.Gone: lambda event: Gone(event.reason, event.detail),
}
