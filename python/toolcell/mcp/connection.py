"""The connection to one MCP server: made when it is needed, kept, and made again after the server has died."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, nullcontext, suppress
from dataclasses import dataclass
from typing import Any

from toolcell.catalog.context import CallContext
from toolcell.catalog.failure import CallFailedError
from toolcell.mcp import sdk
from toolcell.mcp.listing import list_tools
from toolcell.mcp.live import LiveSession
from toolcell.mcp.method import McpMethod
from toolcell.mcp.sdk.protocol import Answer, Handlers, ListKind, OnProgress
from toolcell.mcp.server import McpServer
from toolcell.mcp.state import ServerState, ServerStatus, ended, reason_of
from toolcell.mcp.stdio import Diagnostics
from toolcell.mcp.tool import McpTool

FIRST_BACK_OFF_S = 0.5
LONGEST_BACK_OFF_S = 60.0
"""Time between attempts to connect: it doubles until a call was answered."""
CLOSE_S = 8.0
"""Time for a session to end in good order."""
RELIST_S = 2.0
"""Time that `McpConnection.ready` waits for a list that is just being made anew."""
RELIST_PAUSE_S = 1.0
"""Least time from one new list to the next: a server may say without end that its tools have changed."""
RELIST_PAUSE_SHARE = 10
"""Or so many times what the last one took, where that is longer."""

MAX_PROGRESS_CHARS = 2_048
MAX_PROGRESS_REPORTS = 10_000
"""What is told of one call's progress."""

_log = logging.getLogger("toolcell.mcp")


class McpConnection:
    """One server. A task of its own holds the session, so any task may use and close it.

    Args:
        server: Which server.
        changed: Called when the known tools have changed.
        list_changed: Called with the kind of list that the server says has changed.
        elicit: Answers the server's questions to a person.
        sample: Answers the server's requests to a model.
    """

    def __init__(
        self,
        server: McpServer,
        changed: Callable[[], None],
        list_changed: Callable[[ListKind], None] | None = None,
        elicit: Answer | None = None,
        sample: Answer | None = None,
    ) -> None:
        self.server = server
        self.tools: tuple[McpTool | McpMethod, ...] = ()
        """As last listed; a server that died keeps them."""
        self.failure: str | None = None
        """Why there is no connection, for the host."""
        self._changed = changed
        self._list_changed = list_changed
        self._elicit = elicit
        self._sample = sample
        self._listing: dict[str, dict[str, Any]] = {}
        self._diagnostics = Diagnostics()
        self._live: LiveSession | None = None
        self._last: sdk.Session | None = None
        self._attempt: _Attempt | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._unproved = 0
        self._attempted_at = -math.inf
        self._closed = False
        self._gate = nullcontext() if server.max_concurrency is None else asyncio.Semaphore(server.max_concurrency)

    @property
    def is_ready(self) -> bool:
        """Whether there is nothing to wait for, nor to try, before the known tools are used."""
        return self._closed or (bool(self.tools) if self._live is None else self._live.listed.is_set())

    async def ready(self) -> None:
        """Make the first attempt to connect and wait for its end; wait for a list that is just being made anew.

        A server that failed before is tried again in the background, when its back-off is over; one that died, by the
        next call of its tools.
        """
        if self.is_ready:
            return
        if self._live is not None:
            with suppress(TimeoutError):  # then the last known list will do
                await asyncio.wait_for(self._live.listed.wait(), RELIST_S)
        else:
            attempt = self._begin()
            if attempt is not None and attempt.is_first:
                await attempt.over.wait()

    async def request(self, method: str, params: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        """Send a request, at most once, over a connection that is made if there is none.

        Raises:
            CallFailedError: it could not be sent, was not answered, or was answered by an error. The message names the
                server; only an error of the server itself has more of its words.
        """
        async with self._gate:
            try:
                result = await self._sent(method, params, context)
            except sdk.SessionLostError:
                raise CallFailedError(
                    f"MCP server {self.server.name} was lost during the call; it may have taken effect",
                    "server_lost",
                    outcome_unknown=True,
                ) from None
            except sdk.RemoteError as error:
                raise CallFailedError(str(error) or "the server answered with an error", "tool_failed") from None
        self._unproved = 1
        return dict(result)

    async def close(self) -> None:
        """End the connection and the server; idempotent. Nothing of the server is left running."""
        self._closed = True
        if self._live is not None:
            self._live.leave()
        if self._attempt is not None:
            self._attempt.task.cancel()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=CLOSE_S)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)

    def state(self) -> ServerState:
        """What is known of the connection now."""
        session = self._last
        return ServerState(
            name=self.server.name,
            status=self._status(),
            reason=self.failure,
            tools=len(self._listing),
            protocol_version=None if session is None else session.protocol_version,
            server_info={} if session is None else session.server_info,
            stderr=self._diagnostics.stderr,
            garbage_lines=self._diagnostics.garbage_lines,
        )

    def _status(self) -> ServerStatus:
        if self._closed:
            return "closed"
        if self._live is not None:
            return "connected"
        if self._attempt is not None:
            return "connecting"
        if self.failure is None:
            return "idle"
        return "failed" if self._last is None else "lost"

    async def _sent(self, method: str, params: Mapping[str, Any], context: CallContext) -> Mapping[str, Any]:
        live = await self._connected()
        try:
            return await self._timed(live, method, params, context)
        except sdk.SessionLostError as lost:
            # Over HTTP one answer may be lost while the session, and what else is under way in it, goes on.
            if self.server.url is None or not lost.sent:
                self._drop(live)
            if lost.sent:
                raise
        return await self._timed(await self._connected(), method, params, context)

    async def _timed(self, live: LiveSession, method: str, params: Mapping[str, Any], context: CallContext) -> Mapping[str, Any]:
        milliseconds = self.server.timeout_ms
        try:
            async with asyncio.timeout(milliseconds / 1000):
                return await live.request(method, params, _reporter(context))
        except TimeoutError:
            raise CallFailedError(
                f"MCP server {self.server.name} did not answer within {milliseconds} ms",
                "timeout",
                retryable=True,
                outcome_unknown=True,
            ) from None

    async def _connected(self) -> LiveSession:
        """Return the session, connecting if there is none.

        Raises:
            CallFailedError: there is none to be had now.
        """
        attempt: _Attempt | None = None
        if self._live is None and not self._closed:
            attempt = self._begin()
            if attempt is not None:
                await attempt.over.wait()
        if self._live is None:
            why = "try again later" if attempt is None else "it could not be started or reached"
            raise CallFailedError(f"MCP server {self.server.name} is unavailable: {why}", "server_unavailable", retryable=True)
        return self._live

    def _begin(self) -> _Attempt | None:
        """Begin to connect, or join the attempt that goes on; ``None`` within the back-off."""
        if self._attempt is None:
            loop = asyncio.get_running_loop()
            back_off = min(FIRST_BACK_OFF_S * 2 ** min(max(self._unproved - 1, 0), 10), LONGEST_BACK_OFF_S)
            if loop.time() < self._attempted_at + back_off:
                return None
            self._unproved += 1
            live = LiveSession()
            task = loop.create_task(self._hold(live), name=f"toolcell mcp {self.server.name}")
            self._attempt = _Attempt(task, live.tried, self._unproved == 1)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return self._attempt

    async def _hold(self, live: LiveSession) -> None:
        """Connect, hold the session until it ends, and leave nothing of it."""
        diagnostics = self._diagnostics = Diagnostics()
        problem: str | None = None
        try:
            async with AsyncExitStack() as stack:
                await asyncio.to_thread(sdk.load)
                handlers = Handlers(self._on_list_changed(live), lambda: self._drop(live), self._elicit, self._sample)
                async with asyncio.timeout(self.server.connect_timeout_ms / 1000):
                    session = await stack.enter_async_context(sdk.connect(self.server, handlers, diagnostics))
                    tools = await list_tools(session, self.server)
                live.session = self._last = session
                self._adopt(session, tools)
                self._live, self.failure = live, None
                self._end_attempt(live)
                await self._attend(live)
        except Exception as error:
            problem = reason_of(error, self.server, diagnostics)
        finally:
            self._drop(live)
            live.end()
            self._end_attempt(live)
            if not self._closed and self._diagnostics is diagnostics:
                self.failure = problem or ended(diagnostics)
                _log.warning("MCP server %s: %s", self.server.name, self.failure)

    def _drop(self, live: LiveSession) -> None:
        """Send no more to this session; the next call makes another one."""
        live.leave()
        if self._live is live:
            self._live = None
            self.failure = "the connection ended"

    def _end_attempt(self, live: LiveSession) -> None:
        if not live.tried.is_set():
            self._attempt = None
            self._attempted_at = asyncio.get_running_loop().time()
            live.tried.set()

    async def _attend(self, live: LiveSession) -> None:
        """List tools anew when they have changed, until the session ends."""
        loop = asyncio.get_running_loop()
        not_before = -math.inf
        while not live.left.is_set():
            await live.wake.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(not_before):
                    await live.left.wait()
            live.wake.clear()
            if live.stale and not live.left.is_set():
                live.stale = False
                began = loop.time()
                try:
                    async with asyncio.timeout(self.server.connect_timeout_ms / 1000):
                        self._adopt(live.session, await list_tools(live.session, self.server))
                except (sdk.RemoteError, TimeoutError):
                    _log.warning("MCP server %s does not list its changed tools; the last list stays", self.server.name)
                took = loop.time() - began
                not_before = loop.time() + max(RELIST_PAUSE_S, took * RELIST_PAUSE_SHARE)
            if not live.stale:
                live.listed.set()

    def _on_list_changed(self, live: LiveSession) -> Callable[[ListKind], None]:
        def list_changed(kind: ListKind) -> None:
            if kind == "tools":
                live.stale = True
                live.listed.clear()
                live.wake.set()
            if self._list_changed is not None:
                self._list_changed(kind)

        return list_changed

    def _adopt(self, session: sdk.Session, listing: dict[str, dict[str, Any]]) -> None:
        """Take a new list; tools that stayed the same keep what was compiled for them."""
        methods = [method for method in McpMethod.offered(session.capabilities) if method not in listing]
        known = {tool.name: tool for tool in self.tools}
        kept = {name for name, entry in listing.items() if self._listing.get(name) == entry}
        tools: list[McpTool | McpMethod] = [
            known[name] if name in kept else McpTool(server=self.server.name, name=name, request=self.request, **entry)
            for name, entry in listing.items()
        ]
        tools += [known.get(method) or McpMethod(self.server.name, method, self.request) for method in methods]
        self._listing = listing
        if tuple(tools) != self.tools:
            self.tools = tuple(tools)
            self._changed()


@dataclass(frozen=True, slots=True)
class _Attempt:
    task: asyncio.Task[None]
    over: asyncio.Event
    is_first: bool


def _reporter(context: CallContext) -> OnProgress:
    left = iter(range(MAX_PROGRESS_REPORTS))

    def report(progress: float, total: float | None, message: str | None) -> None:
        if next(left, None) is not None:
            text = None if message is None else message[:MAX_PROGRESS_CHARS]
            context.report_progress({"progress": progress, "total": total, "message": text})

    return report
