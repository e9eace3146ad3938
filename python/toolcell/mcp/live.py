"""A session while it lasts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from toolcell.mcp import sdk
from toolcell.mcp.sdk.protocol import OnProgress


class LiveSession:
    """A session from the attempt to connect to its end, and the requests that wait for its answers."""

    session: sdk.Session

    def __init__(self) -> None:
        self.tried = asyncio.Event()
        """The attempt to connect is over."""
        self.wake = asyncio.Event()
        """Something is to be done for it."""
        self.listed = asyncio.Event()
        """The known tools are the latest."""
        self.listed.set()
        self.stale = False
        """The server says that its tools have changed."""
        self.left = asyncio.Event()
        """It is to be ended."""
        self._is_over = False
        self._requests: set[asyncio.Task[Mapping[str, Any]]] = set()

    def leave(self) -> None:
        """Let the task that holds the session end it."""
        self.left.set()
        self.wake.set()

    def end(self) -> None:
        """The session is over: what still waits for an answer gets none."""
        self._is_over = True
        self.listed.set()
        for request in self._requests:
            request.cancel()

    async def request(self, method: str, params: Mapping[str, Any], on_progress: OnProgress) -> Mapping[str, Any]:
        """Send a request.

        Raises:
            RemoteError: the server answered with an error.
            SessionLostError: the session has ended.
        """
        if self._is_over:
            raise sdk.SessionLostError(sent=False)
        # A task of its own, because the package doesn't wake all who wait when a session breaks.
        request = asyncio.ensure_future(self.session.request(method, params, on_progress))
        self._requests.add(request)
        try:
            return await request
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if self._is_over and not (caller is not None and caller.cancelling()):
                raise sdk.SessionLostError from None
            raise
        finally:
            self._requests.discard(request)
