"""A nested call on its way: what the cell asked for, and what has become of it so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from toolcell.catalog.context import AbortSignal
from toolcell.catalog.entry import CatalogEntry
from toolcell.values import Json

MAX_TARGET_CHARS = 256
"""What is told of a name that is no tool's."""

CallOutcome = Literal["ok", "error", "denied", "unknown"]
CallForm = Literal["call_value", "call", "mcp", "mcp_raw"]
"""What the cell wants of the result: the value, ``{tool, result}``, or the MCP result object, in ``mcp_raw`` an error too."""

CALL_FORMS = frozenset({"call_value", "call", "mcp", "mcp_raw"})
MCP_FORMS = frozenset({"mcp", "mcp_raw"})
"""Forms of calls that name MCP tools, by exact id."""


@dataclass(slots=True)
class NestedCall:
    """A call on its way through the pipeline.

    ``value`` is the input as it stands after edits; ``body`` runs the tool with it.
    """

    cell_id: str
    number: int
    target: str
    input: bytes | None
    form: CallForm = "call_value"
    parent_id: str | None = None
    """The model's `exec` or `wait` call that the cell runs under."""
    entry: CatalogEntry | None = None
    value: Json = None
    body: Callable[[], Any] | None = field(default=None, compare=False)
    signal: AbortSignal = field(default_factory=AbortSignal, compare=False)

    @property
    def call_id(self) -> str:
        """Stable id, ``<cell id>/<n>``."""
        return f"{self.cell_id}/{self.number}"

    @property
    def tool_name(self) -> str:
        """Name of the tool, or the beginning of what the guest asked for if it isn't resolved."""
        return self.target[:MAX_TARGET_CHARS] if self.entry is None else self.entry.tool.name
