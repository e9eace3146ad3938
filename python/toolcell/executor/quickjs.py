"""The ``quickjs`` executor: cells in locked-down worker processes, driven by one event loop.

The native pool owns the processes, their sockets and their deadlines. Here the loop watches the pool's one descriptor
and hands what workers say to the guest that waits for it.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from contextlib import suppress

from toolcell import _native
from toolcell.errors import RuntimeUnavailableError
from toolcell.executor.protocol import Gone
from toolcell.executor.quickjs_guest import QuickJsGuest
from toolcell.executor.worker_path import find_worker
from toolcell.guest_catalog import GuestCatalog
from toolcell.threads import DaemonThreads

MAX_IDLE_WORKERS = 32
"""Workers kept between cells, over all sessions; the one idle for longest makes room."""
GRACE_MS = 100
"""Time between a leg's deadline, at which a worker ends by itself, and the kill from outside."""


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
        """Take a worker that has run nothing yet; the loop is not blocked while one starts.

        Raises:
            RuntimeUnavailableError: none can be started.
        """
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
        """Lease a worker that has run nothing yet and give it the catalog.

        Raises:
            RuntimeUnavailableError: none can be started, or two in a row ended at once.
        """
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


def _native_catalog(catalog: GuestCatalog) -> _native.Catalog:
    return _native.Catalog(catalog.tools, namespaces=catalog.namespaces, files=catalog.files)
