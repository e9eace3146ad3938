"""Listing what a server offers: page by page, bounded in every direction."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any, cast

from toolcell.catalog.tool import MAX_NAME_CHARS
from toolcell.mcp.sdk import Session
from toolcell.mcp.server import McpServer
from toolcell.values import object_or_empty

MAX_PAGES = 1_000
"""Pages of a server's list of tools; a list without end must not hold up a run."""
MAX_TOOLS = 10_000
"""Tools of one server."""
MAX_CURSOR_CHARS = 16_384
"""Of the mark of a next page; those of all pages are remembered."""
MAX_DESCRIPTION_CHARS = 65_536
MAX_LABEL_CHARS = 128
MAX_SCHEMA_BYTES = 262_144
"""A longer schema is not used; the tool still works."""
MAX_LIST_BYTES = 64 * 1024 * 1024
"""Schemas and descriptions of one server."""

_log = logging.getLogger("toolcell.mcp")


async def list_tools(session: Session, server: McpServer) -> dict[str, dict[str, Any]]:
    """Ask for all pages of tools.

    Returns:
        By name: ``description``, ``label``, ``input_schema``, ``output_schema`` (each of its type, whatever was sent), in
        the server's order. Tools whose name can't stand in an id, and what the host left out, are not among them.
    """
    tools: dict[str, dict[str, Any]] = {}
    seen: set[str] = set()
    cursor: str | None = None
    left = MAX_LIST_BYTES
    for _ in range(MAX_PAGES):
        page = await session.request("tools/list", {} if cursor is None else {"cursor": cursor})
        listed = page.get("tools")
        for entry in cast("list[object]", listed) if isinstance(listed, list) else []:
            name, tool, size = _read(object_or_empty(entry))
            if _accepts_name(name) and server.admits(name):
                left -= size
                if left < 0 or len(tools) == MAX_TOOLS:
                    _log.warning("MCP server %s lists more than can be used; the rest is left out", server.name)
                    return tools
                tools[name] = tool
        cursor = page.get("nextCursor")
        if not isinstance(cursor, str):
            return tools
        if cursor in seen or len(cursor) > MAX_CURSOR_CHARS:
            _log.warning("MCP server %s repeats a page of its list of tools, or names none; the list ends there", server.name)
            return tools
        seen.add(cursor)
    _log.warning("MCP server %s lists more than %d pages of tools; the rest is left out", server.name, MAX_PAGES)
    return tools


def _accepts_name(name: str) -> bool:
    return 0 < len(name) <= MAX_NAME_CHARS and name.isprintable()


def _read(entry: Mapping[str, Any]) -> tuple[str, dict[str, Any], int]:
    """Name, tool and size of an entry."""
    input_schema, input_bytes = _schema(entry.get("inputSchema"))
    output_schema, output_bytes = _schema(entry.get("outputSchema"))
    description = _text(entry.get("description"))
    annotations = object_or_empty(entry.get("annotations"))
    tool: dict[str, Any] = {
        "description": description,
        "label": (_text(entry.get("title")) or _text(annotations.get("title")))[:MAX_LABEL_CHARS] or None,
        "input_schema": input_schema or {},
        "output_schema": output_schema,
    }
    return _text(entry.get("name")), tool, len(description) + input_bytes + output_bytes


def _schema(value: object) -> tuple[dict[str, Any] | None, int]:
    if not isinstance(value, dict):
        return None, 0
    try:
        size = len(json.dumps(cast("dict[str, Any]", value)))
    except (ValueError, RecursionError):
        return None, 0
    return (cast("dict[str, Any]", value), size) if size <= MAX_SCHEMA_BYTES else (None, 0)


def _text(value: object) -> str:
    return value[:MAX_DESCRIPTION_CHARS] if isinstance(value, str) else ""
