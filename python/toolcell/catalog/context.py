"""What a tool body is told about the call it serves."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from toolcell.content import ContentStore
from toolcell.scope import Scope


class AbortSignal:
    """Says once, to any thread, that a call's result is no longer wanted."""

    __slots__ = ("_callbacks", "_lock", "_reason")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reason: str | None = None
        self._callbacks: list[Callable[[], None]] = []

    @property
    def aborted(self) -> bool:
        """Whether the call was aborted."""
        return self._reason is not None

    @property
    def reason(self) -> str | None:
        """Why, once aborted."""
        return self._reason

    def abort(self, reason: str = "aborted") -> None:
        """Abort the call; later aborts change nothing. Callbacks run in the calling thread."""
        with self._lock:
            if self._reason is not None:
                return
            self._reason = reason
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def on_abort(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Run ``callback`` at abort, or now if that has happened. Returns a function that takes it back."""
        with self._lock:
            if self._reason is None:
                self._callbacks.append(callback)
                return lambda: self._forget(callback)
        callback()
        return lambda: None

    async def wait(self) -> None:
        """Return when the call is aborted."""
        loop, event = asyncio.get_running_loop(), asyncio.Event()
        forget = self.on_abort(lambda: _from_any_thread(loop, event))
        try:
            await event.wait()
        finally:
            forget()

    def _forget(self, callback: Callable[[], None]) -> None:
        with self._lock, suppress(ValueError):
            self._callbacks.remove(callback)


def _from_any_thread(loop: asyncio.AbstractEventLoop, event: asyncio.Event) -> None:
    with suppress(RuntimeError):  # a closed loop has nobody left to tell
        loop.call_soon_threadsafe(event.set)


def _ignore(_: object) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """Who calls and how the call may be followed. A tool gets it through a parameter of this type.

    ``values`` is the ``context`` the host gave to the run (sender, channel, sandbox policy, credentials); it stays
    on the host.
    """

    call_id: str
    """Stable id of the call: ``<cell id>/<n>``."""
    tool_id: str
    """Catalog id of the tool."""
    parent_id: str | None = None
    """Id of the model's ``exec`` or ``wait`` call that the cell runs under: the provider's, if the host told it."""
    scope: Scope = field(default_factory=Scope)
    """Agent, session and agent run."""
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The host's own context for the run."""
    signal: AbortSignal = field(default_factory=AbortSignal)
    """Aborted when the result is no longer wanted."""
    report_progress: Callable[[Any], None] = _ignore
    """Tells the run's subscribers how far the call is; any JSON-able value, from any thread."""
    contents: ContentStore = field(default_factory=ContentStore)
    """Keeps images, sound and files of results on the host; cells get handles."""
