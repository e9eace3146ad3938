"""How one nested call ended, as it crosses to the guest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MAX_MESSAGE_CHARS = 2_048
"""A tool's own message is cut to this."""


@dataclass(frozen=True, slots=True)
class CallFailure:
    """What the guest sees of a failed call: plain data, never a traceback, a type or a path. ``data`` is JSON."""

    name: Literal["ToolError", "ToolDeniedError"]
    message: str
    code: str
    tool: str
    retryable: bool = False
    data: bytes | None = None


Settled = tuple[int, bytes | CallFailure]
"""Number of a call, and its value as JSON or why it failed."""
