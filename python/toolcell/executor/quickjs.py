"""The ``quickjs`` executor: cells in locked-down worker processes, driven by one event loop.

The native pool owns the processes, their sockets and their deadlines. Here the loop watches the pool's one descriptor
and hands what workers say to the guest that waits for it.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

from toolcell import _native
from toolcell.errors import RuntimeUnavailableError
from toolcell.executor.protocol import (
    CellSource,
    Completed,
    Failed,
    Gone,
    GuestCatalog,
    GuestOutput,
    Leg,
    LegEnd,
    Limits,
    Parked,
    Refused,
    Waiting,
)
from toolcell.executor.threads import DaemonThreads
from toolcell.executor.worker_path import find_worker
from toolcell.settlement import Settled

MAX_IDLE_WORKERS = 32
"""Workers kept between cells, over all sessions; the one idle for longest makes room."""
GRACE_MS = 100
"""Time between a leg's deadline, at which a worker ends by itself, and the kill from outside."""
_FATAL = frozenset({"timeout", "memory_limit_exceeded"})


class QuickJsExecutor:
    """Workers of one `CodeMode`. ``worker`` is the path of the executable, ``warm`` how many wait for work."""

    serializable = True
    build = _native.SOURCE_FINGERPRINT

    def __init__(self, *, worker: str | os.PathLike[str] | None = None, warm: int = 2) -> None:
        self._worker = worker
        self._warm = warm
        self._pool: _native.Pool | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening = asyncio.Lock()
        self._threads = DaemonThreads("toolcell-pool")
        self._guests: dict[int, QuickJsGuest] = {}
        self._idle: OrderedDict[int, QuickJsSession] = OrderedDict()

    @property
    def pool(self) -> _native.Pool:
        """The native pool, for diagnostics.

        Raises:
            RuntimeUnavailableError: not open.
        """
        if self._pool is None:
            raise RuntimeUnavailableError("the executor is not open")
        return self._pool

    async def open(self) -> None:
        async with self._opening:
            if self._pool is not None:
                return
            path, expected = find_worker(self._worker, _native.BUNDLED_WORKER_SHA256)
            make = lambda: _native.Pool(path, expected_sha256=expected, warm=self._warm, grace_ms=GRACE_MS)  # noqa: E731
            try:
                pool = await self._threads.run(make)
            except _native.WorkerStartError as error:
                raise RuntimeUnavailableError(str(error)) from None
            self._loop = asyncio.get_running_loop()
            self._loop.add_reader(pool.fileno(), self.drain)
            self._pool = pool

    def session(self, catalog: GuestCatalog, *, reuse_workers: bool) -> QuickJsSession:
        return QuickJsSession(self, catalog, reuse_workers=reuse_workers)

    async def close(self) -> None:
        pool, self._pool = self._pool, None
        if pool is None:
            return
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(pool.fileno())
        self._idle.clear()
        for guest in list(self._guests.values()):
            guest.feed_end(Gone("closed"))
        await self._threads.run(pool.close)

    async def lease(self) -> int:
        """Take a worker that has run nothing yet; the loop is not blocked while one starts."""
        pool = self.pool
        try:
            if pool.stats()["warm"] > 0:
                return pool.lease()
            return await self._threads.run(pool.lease)
        except _native.WorkerStartError as error:
            raise RuntimeUnavailableError(str(error)) from None

    def attach(self, worker: int, guest: QuickJsGuest) -> None:
        self._guests[worker] = guest

    def detach(self, worker: int) -> None:
        self._guests.pop(worker, None)

    def keep(self, worker: int, session: QuickJsSession) -> None:
        """Note an idle worker of a session; the oldest one ends when there are too many."""
        self._idle[worker] = session
        if len(self._idle) > MAX_IDLE_WORKERS:
            oldest, owner = self._idle.popitem(last=False)
            owner.forget(oldest)
            self.release(oldest)

    def unkeep(self, worker: int) -> None:
        self._idle.pop(worker, None)

    def release(self, worker: int) -> None:
        if self._pool is not None:
            with suppress(_native.WorkerGoneError):
                self._pool.release(worker)

    def live_workers(self) -> list[int]:
        """Handles of all leased workers, those between cells included; for diagnostics."""
        return [*self._guests, *self._idle]

    def drain(self) -> None:
        """Hand out what workers sent since; called by the loop whenever there is something."""
        if self._pool is None:
            return
        for worker, events in self._pool.drain():
            guest = self._guests.get(worker)
            if guest is not None:
                guest.feed(events)
            elif (session := self._idle.pop(worker, None)) is not None:
                session.forget(worker)


class QuickJsSession:
    """Workers of one run: a worker serves one scope only, and is reset between its cells."""

    def __init__(self, executor: QuickJsExecutor, catalog: GuestCatalog, *, reuse_workers: bool) -> None:
        self.executor = executor
        self._catalog = _native_catalog(catalog)
        self._reuse = reuse_workers
        self._idle: list[int] = []
        self._outdated: set[int] = set()
        """Workers that have an earlier catalog."""
        self._leased: set[int] = set()
        self._closed = False

    async def lease(self) -> QuickJsGuest:
        if self._idle:
            self.executor.drain()  # an idle worker may have died since
        while self._idle:
            worker = self._idle.pop()
            self.executor.unkeep(worker)
            if self._is_current(worker):
                self._leased.add(worker)
                return QuickJsGuest(self, worker, reused=True)
        return QuickJsGuest(self, await self.fresh(), reused=False)

    def replace(self, catalog: GuestCatalog) -> None:
        self._catalog = _native_catalog(catalog)
        self._outdated = {*self._idle, *self._leased}

    async def fresh(self) -> int:
        """Lease a worker that has run nothing yet and give it the catalog."""
        for _ in range(2):
            worker = await self.executor.lease()
            try:
                self.executor.pool.send_catalog(worker, self._catalog)
            except _native.WorkerGoneError:
                continue
            self._leased.add(worker)
            return worker
        raise RuntimeUnavailableError("workers end right after their start")

    def give_back(self, worker: int) -> None:
        """Take a worker whose cell ended; it waits for the session's next cell or ends."""
        self._leased.discard(worker)
        if self._reuse and not self._closed:
            self._idle.append(worker)
            self.executor.keep(worker, self)
        else:
            self.executor.release(worker)

    def forget(self, worker: int) -> None:
        self._outdated.discard(worker)
        self._leased.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)

    def close(self) -> None:
        self._closed = True
        idle, self._idle = self._idle, []
        for worker in idle:
            self.executor.unkeep(worker)
            self.executor.release(worker)

    def _is_current(self, worker: int) -> bool:
        """Whether an idle worker has the catalog; it is sent if it hasn't. A worker that is gone has nothing."""
        if worker not in self._outdated:
            return True
        self._outdated.discard(worker)
        try:
            self.executor.pool.send_catalog(worker, self._catalog)
        except _native.WorkerGoneError:
            return False
        return True


class QuickJsGuest:
    """A cell in a worker. The worker goes back to its session when the cell ends in order."""

    __slots__ = ("_end", "_executor", "_future", "_gone", "_pool", "_reused", "_session", "_take", "_worker")

    def __init__(self, session: QuickJsSession, worker: int, *, reused: bool) -> None:
        self._session = session
        self._executor = session.executor
        self._pool = session.executor.pool
        self._worker = worker
        self._reused = reused
        self._take: Callable[[Sequence[GuestOutput]], None] = _nowhere
        self._end: LegEnd | None = None
        self._gone: Gone | None = None
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
        return Leg((), end)

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


def _native_catalog(catalog: GuestCatalog) -> _native.Catalog:
    return _native.Catalog(catalog.tools, namespaces=catalog.namespaces, files=catalog.files)


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
