"""One line of a catalog: a tool, its id and names, and what a cell sees of it."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

from toolcell.catalog.hints import Hint, render_hint
from toolcell.catalog.input_text import input_text
from toolcell.catalog.search import Document
from toolcell.catalog.tool import Tool
from toolcell.guest_catalog import CatalogRow

MAX_REMOTE_DESCRIPTION_CHARS = 512
"""What a cell sees of a description that the host did not write."""


class CatalogEntry:
    """A tool as it stands in one catalog.

    ``safe_name`` is its name under ``tools``, ``bare_name`` its global function; either may be missing.
    """

    def __init__(self, tool: Tool, id: str, safe_name: str | None, bare_name: str | None) -> None:
        self.tool = tool
        self.id = id
        self.safe_name = safe_name
        self.bare_name = bare_name

    def __repr__(self) -> str:
        return f"<{self.id}>"

    @property
    def name(self) -> str:
        """The tool's own name, as its provider spells it."""
        return self.tool.name

    @property
    def remote(self) -> bool:
        """Whether someone other than the host wrote its words and schemas."""
        return self.tool.kind in ("mcp", "client")

    @property
    def description(self) -> str:
        """What cells see of the description."""
        return self.tool.description[:MAX_REMOTE_DESCRIPTION_CHARS] if self.remote else self.tool.description

    @cached_property
    def input_hint(self) -> str:
        """The input in one line of TypeScript, possibly shortened; ``unknown`` for tools of others."""
        if self.remote or not self.tool.input_schema:
            return "unknown"
        return render_hint(self.tool.input_schema, max_chars=300, max_depth=4, max_properties=16).text

    @cached_property
    def output_hint(self) -> str | None:
        """The structured result in one line of TypeScript, only if that says everything."""
        if not self.tool.trusted or self.tool.output_schema is None:
            return None
        hint: Hint = render_hint(self.tool.output_schema, max_chars=850, max_depth=6, max_properties=20)
        return hint.text if hint.complete else None

    def compact(self) -> dict[str, Any]:
        """Return the entry as cells see it in ``ALL_TOOLS``."""
        tool = self.tool
        entry: dict[str, Any] = {"id": self.id, "name": tool.name}
        if tool.label is not None:
            entry["label"] = tool.label
        entry["description"] = self.description
        entry["source"] = self.id.partition(":")[0]
        if tool.kind != "core":
            entry["sourceName"] = tool.owner
        entry["input"] = self.input_hint
        if self.output_hint is not None:
            entry["output"] = self.output_hint
        return entry

    def describe(self) -> dict[str, Any]:
        """Return the compact entry with the schemas: ``parameters`` and, for trusted tools, ``outputSchema``."""
        entry = self.compact() | {"parameters": self.tool.input_schema}
        if self.tool.trusted and self.tool.output_schema is not None:
            entry["outputSchema"] = self.tool.output_schema
        return entry

    def native_row(self) -> CatalogRow:
        """Return the entry as workers take it; lone surrogates become ``?``."""
        encoded = json.dumps(self.compact(), ensure_ascii=False, separators=(",", ":"))
        return self.id, self.safe_name, self.bare_name, encoded.encode("utf-8", "replace")

    def document(self) -> Document:
        """Return what search compares."""
        tool = self.tool
        return Document(self.id, tool.name, tool.label or "", self.description, input_text(tool.input_schema))
