"""What the host can know of a connection: its state, and why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from toolcell.errors import ConfigError
from toolcell.mcp import sdk
from toolcell.mcp.server import McpServer
from toolcell.mcp.stdio import Diagnostics
from toolcell.untrusted import printable_line

MAX_REASON_CHARS = 300
"""Of a stranger's words in what the host is told."""

ServerStatus = Literal["idle", "connecting", "connected", "failed", "lost", "closed"]


@dataclass(frozen=True, slots=True)
class ServerState:
    """What the host can know of a server's connection. Everything a server says in it is a stranger's word."""

    name: str
    status: ServerStatus
    """``idle`` before the first use, ``lost`` after a session that had been."""
    reason: str | None = None
    """Why there is no connection."""
    tools: int = 0
    protocol_version: str | None = None
    server_info: Mapping[str, Any] = field(default_factory=dict[str, Any])
    stderr: str = ""
    """The end of what the process wrote there."""
    garbage_lines: int = 0
    """Lines of its output that were no messages."""


def reason_of(error: BaseException, server: McpServer, diagnostics: Diagnostics) -> str:
    """Say to the host in one line what happened; a group is as good as its first member."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    if isinstance(error, ConfigError):
        return str(error)
    if isinstance(error, TimeoutError):
        return f"did not answer within {server.connect_timeout_ms} ms"
    if isinstance(error, sdk.SessionLostError):
        return ended(diagnostics)
    if isinstance(error, sdk.RemoteError):
        status = diagnostics.http_status
        http = f" (HTTP status {status})" if status is not None and status >= 400 else ""
        return f"refused: {printable_line(str(error), MAX_REASON_CHARS)}{http}"
    if isinstance(error, OSError) and server.url is None:
        return f"{server.command[0]} can't be started: {error.strerror or type(error).__name__}"
    return f"{type(error).__name__}: {printable_line(str(error), MAX_REASON_CHARS)}"


def ended(diagnostics: Diagnostics) -> str:
    status = diagnostics.exit_status
    return "the connection ended" if status is None else f"the process ended with status {status}"
