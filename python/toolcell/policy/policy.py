"""Which tools a run may see and call."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass
from typing import Literal

from toolcell.policy.hooks import ToolCall
from toolcell.redaction import redacted
from toolcell.values import Json

Decision = Literal["allow", "deny", "ask"]


@dataclass(frozen=True, slots=True)
class VisibleTool:
    """A tool as a policy sees it: ``id`` such as ``host:core:message``, and ``name``."""

    id: str
    name: str


class Policy:
    """Allow, deny and ask lists: shell-style globs (``*``, ``?``, ``[…]``) over tool ids and names, with case.

    Args:
        allow: What may be seen and called; ``None`` is everything, an empty list nothing.
        deny: What may not, even if allowed.
        ask: What a person decides on at each call.

    A subclass may override `visible` (asked for each tool when a run is entered, and again at each call), `decide`
    (asked at each call, sync or async) and `redact`.
    """

    # A subclass need not call `__init__`: without it everything is allowed.
    _allow: re.Pattern[str] | None = None
    _deny = _ask = re.compile(r"(?!)")
    asks: bool = False
    """Whether there is an ask list."""

    def __init__(self, allow: Iterable[str] | None = None, deny: Iterable[str] = (), ask: Iterable[str] = ()) -> None:
        self._allow = None if allow is None else _globs(allow)
        self._deny = _globs(deny)
        asked = tuple(ask)
        self._ask = _globs(asked)
        self.asks = bool(asked)

    def visible(self, tool: VisibleTool) -> bool:
        """Whether a cell may know of the tool at all."""
        if _matches(self._deny, tool.id, tool.name):
            return False
        # A server chooses the names of its tools: one that looks like an id must not pass for it.
        name = tool.id if ":" in tool.name else tool.name
        return self._allow is None or _matches(self._allow, tool.id, name)

    def decide(self, call: ToolCall) -> Decision | Awaitable[Decision]:
        """What happens to a call of a visible tool."""
        if _matches(self._ask, call.tool_id, call.tool_name):
            return "ask"
        return "allow"

    def redact(self, call: ToolCall) -> Json:
        """What telemetry shows of a call's input; by default all but values under names like ``password``."""
        return redacted(call.input)


def _globs(patterns: Iterable[str]) -> re.Pattern[str]:
    translated = [fnmatch.translate(pattern) for pattern in patterns]
    return re.compile("|".join(translated) if translated else r"(?!)")


def _matches(pattern: re.Pattern[str], tool_id: str, name: str) -> bool:
    return pattern.match(tool_id) is not None or pattern.match(name) is not None
