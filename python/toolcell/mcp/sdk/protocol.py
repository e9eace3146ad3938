"""What the rest of toolcell sees of the ``mcp`` package."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from toolcell.mcp.server import McpServer
from toolcell.mcp.stdio import Diagnostics

ListKind = Literal["tools", "resources", "prompts"]
OnProgress = Callable[[float, float | None, str | None], None]
Answer = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any] | None]]
"""Answers a request of a server; gets its parameters and gives the result, keys as the protocol spells them."""


class RemoteError(Exception):
    """The server answered a request with an error. The text is the server's."""


class SessionLostError(Exception):
    """The session has ended; ``sent`` says whether the request may have reached the server."""

    def __init__(self, message: str = "connection closed", *, sent: bool = True) -> None:
        super().__init__(message)
        self.sent = sent


_LOST_CODE = -32000
_LOST_WORDS = ("Connection closed", "SSE stream ", "server answered a request with 202")


def says_lost(code: int, message: str) -> bool:
    """Whether an error is the package's own word that no answer will come.

    Source: JSON-RPC leaves the code to servers, many of which use it for any error of theirs.
    """
    return code == _LOST_CODE and message.startswith(_LOST_WORDS)


@dataclass(frozen=True, slots=True)
class Handlers:
    """What is done about things that a server begins. Without ``elicit`` or ``sample`` these are not offered to it."""

    list_changed: Callable[[ListKind], None]
    closed: Callable[[], None]
    """The other side has ended the session."""
    elicit: Answer | None = None
    sample: Answer | None = None


class Session(Protocol):
    """A live session with one server."""

    @property
    def protocol_version(self) -> str:
        """What was negotiated."""
        ...

    @property
    def server_info(self) -> Mapping[str, Any]:
        """``name`` and ``version`` as the server says them."""
        ...

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """What the server offers, keys as the protocol spells them."""
        ...

    async def request(self, method: str, params: Mapping[str, Any], on_progress: OnProgress | None = None) -> Mapping[str, Any]:
        """Send a request and return the result, keys as the server spelled them.

        Cancelling it tells the server so.

        Raises:
            RemoteError: the server answered with an error.
            SessionLostError: the session has ended.
        """
        ...


class Connect(Protocol):
    """Makes a session with a server."""

    def __call__(
        self, server: McpServer, handlers: Handlers, diagnostics: Diagnostics, /
    ) -> AbstractAsyncContextManager[Session]:
        """Start or reach it and shake hands; leaving the context ends session and processes."""
        ...
