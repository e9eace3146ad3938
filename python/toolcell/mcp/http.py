"""Bounds on what a server answers over HTTP, put between the network and the ``mcp`` package.

The package reads a whole answer, or a whole event, into memory. What is longer than a message may be is replaced by an
error in answer to the request, so that its caller learns of it and the session goes on.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator
from typing import Any

from toolcell.mcp.lines import MAX_MESSAGE_BYTES
from toolcell.mcp.stdio import Diagnostics

INTERNAL_ERROR = -32603
STREAM_PAUSE_S = 0.1
"""Least time between two streams that are opened: a server may end each one and have the next one opened at once."""
TOO_LONG = f"the server's answer is longer than {MAX_MESSAGE_BYTES} bytes"
COMPRESSED = "the server's answer is compressed, which was not asked for"


class BoundedBody:
    """The body of an answer. Mixed into the byte stream class of the HTTP package in use."""

    def __init__(self, response: Any, max_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self._response = response
        self._inner = response.stream
        self._max_bytes = max_bytes
        self._compressed = response.headers.pop("content-encoding", "identity") != "identity"
        self._is_events = response.headers.get("content-type", "").startswith("text/event-stream")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the body, or as much of it as fits and an error."""
        if self._compressed:
            yield self._error(COMPRESSED)
        elif self._is_events:
            async for chunk in self._events():
                yield chunk
        else:
            yield await self._whole()

    async def aclose(self) -> None:
        """Let go of the connection."""
        await self._inner.aclose()

    async def _whole(self) -> bytes:
        body = bytearray()
        async for chunk in self._inner:
            body += chunk
            if len(body) > self._max_bytes:
                return self._error(TOO_LONG)
        return bytes(body)

    async def _events(self) -> AsyncIterator[bytes]:
        size, carry = 0, b""
        async for chunk in self._inner:
            seen = carry + chunk
            end = max(seen.rfind(b"\n\n"), seen.rfind(b"\n\r\n"))
            size = len(seen) - end if end >= 0 else size + len(chunk)
            if size > self._max_bytes:
                yield b"\nevent: dropped\n\n" + self._error(TOO_LONG)
                return
            carry = seen[-3:]
            yield chunk

    def _error(self, text: str) -> bytes:
        """An answer to the request with this error; nothing if it was none that has an answer."""
        try:
            number = json.loads(self._response.request.content)["id"]
        except (ValueError, KeyError, TypeError, RuntimeError):
            return b""
        error = {"jsonrpc": "2.0", "id": number, "error": {"code": INTERNAL_ERROR, "message": text}}
        encoded = json.dumps(error).encode()
        return b"event: message\ndata: " + encoded + b"\n\n" if self._is_events else encoded


def client_options(headers: Any, auth: Any, httpx: Any, body: type[BoundedBody], diagnostics: Diagnostics) -> dict[str, Any]:
    """Options of an asynchronous HTTP client of the package ``httpx``, which is either of its two generations.

    Waiting for an answer has no bound here: each request has its own time, and streams stay open for long.
    """

    opens_at = -math.inf

    async def pace(request: Any) -> None:
        nonlocal opens_at
        if request.method == "GET":
            now = asyncio.get_running_loop().time()
            opens_at = max(now, opens_at + STREAM_PAUSE_S)
            await asyncio.sleep(opens_at - now)

    async def bound(response: Any) -> None:
        diagnostics.http_status = response.status_code
        response.stream = body(response)

    return {
        "headers": {**dict(headers), "accept-encoding": "identity"},
        "auth": auth,
        "timeout": httpx.Timeout(30.0, read=None),
        "event_hooks": {"request": [pace], "response": [bound]},
    }
