"""Runs of the clients of a gateway, one a session."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from toolcell.errors import TooManySessionsError
from toolcell.results import CellResult
from toolcell.runtime.run import Run

log = logging.getLogger("toolcell.gateway")

MAX_SWEEP_S = 30.0
MAX_REQUESTS = 32
"""Requests of a session that are served at once; each may keep a worker busy."""


class Session:
    """A client's run, and what it was not told yet."""

    def __init__(self, name: str, run: Run) -> None:
        self.name = name
        self.run = run
        self.requests = 0
        """Requests that use it now."""
        self.idle_since = time.monotonic()
        self.asked: dict[str, CellResult] = {}
        """Waiting results that questions to a person took the place of, by cell."""

    @property
    def in_use(self) -> bool:
        """Whether a request is served, or a cell waits in this process."""
        return self.requests > 0 or any(cell.run is self.run for cell in self.run.code_mode.cells.values())


class Sessions:
    """Open sessions by name. One is opened at its first request and ended when it has been idle for long enough.

    Args:
        make_run: Makes the run of a new session from its name.
        limit: Most sessions at once.
        idle_seconds: How long a session may go without a request.
    """

    def __init__(self, make_run: Callable[[str], Run], *, limit: int, idle_seconds: float) -> None:
        self._make_run = make_run
        self._limit = limit
        self._idle_seconds = idle_seconds
        self._sessions: dict[str, asyncio.Task[Session]] = {}
        self._sweeper: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._sessions)

    def open(self) -> None:
        """Begin to end idle sessions."""
        self._sweeper = asyncio.create_task(self._sweep(), name="toolcell idle sessions")

    async def close(self) -> None:
        """End all sessions."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        await asyncio.gather(*(self.end(name) for name in list(self._sessions)))

    @asynccontextmanager
    async def use(self, name: str) -> AsyncGenerator[Session, None]:
        """Find or open a session, and keep it from being idle.

        Raises:
            TooManySessionsError: it would be one too many.
            ToolcellError: its run can't be entered.
        """
        session = await self._find(name)
        session.requests += 1
        try:
            yield session
        finally:
            session.requests -= 1
            session.idle_since = time.monotonic()

    async def end(self, name: str, *, drop: bool = False) -> None:
        """End a session, if there is one; with ``drop`` its cells in a durable store end too."""
        opening = self._sessions.pop(name, None)
        if opening is None:
            return
        await asyncio.wait([opening])
        if opening.cancelled() or opening.exception() is not None:
            return
        run = opening.result().run
        try:
            if drop:
                await run.abort()
            await run.__aexit__(None, None, None)
        except Exception:  # the store above all; whatever it is, the session is gone and the others go on
            log.exception("session %s did not end in order", name)

    async def end_unused(self, name: str) -> None:
        """End a session unless it is in use."""
        opening = self._sessions.get(name)
        if opening is not None and opening.done() and not opening.result().in_use:
            await self.end(name)

    async def _find(self, name: str) -> Session:
        opening = self._sessions.get(name)
        if opening is None:
            if len(self._sessions) >= self._limit:
                raise TooManySessionsError(f"{self._limit} sessions are open, which is as many as may be; try again later")
            opening = self._sessions[name] = asyncio.create_task(self._enter(name))
        return await asyncio.shield(opening)

    async def _enter(self, name: str) -> Session:
        try:
            return Session(name, await self._make_run(name).__aenter__())
        except BaseException:
            self._sessions.pop(name, None)
            raise

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(min(self._idle_seconds / 4, MAX_SWEEP_S))
            overdue = time.monotonic() - self._idle_seconds
            for name, opening in list(self._sessions.items()):
                if opening.done() and (session := opening.result()).requests == 0 and session.idle_since <= overdue:
                    await self.end(name)
