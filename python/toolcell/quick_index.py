"""The list of tools in the description of ``exec``: one line for each, within a fixed number of characters."""

from __future__ import annotations

from collections.abc import Sequence

from toolcell.catalog.entry import CatalogEntry

MAX_INDEX_CHARS = 8_000
"""Code points of the whole index, footer included."""

_FOOTER = '({count} more: await tools.search("words") finds them)'
_FOOTER_CHARS = len(_FOOTER.format(count=10**9)) + 1


def quick_index(entries: Sequence[CatalogEntry], *, max_chars: int = MAX_INDEX_CHARS) -> str:
    """List tools as ``- name(input) -> output``, declared outputs first, then by id.

    A line that does not fit is skipped, later and smaller ones may still enter; a footer counts what was left out.
    Tools of MCP servers never stand here: a stranger wrote their names.

    Returns:
        The lines, at most ``max_chars`` code points; empty without tools. Equal catalogs give equal text.
    """
    listed = [entry for entry in entries if entry.tool.kind != "mcp"]
    listed.sort(key=lambda entry: (entry.output_hint is None, entry.id))
    lines = [_line(entry) for entry in listed]
    if sum(map(len, lines)) + len(lines) - 1 <= max_chars:
        return "\n".join(lines)
    room = max_chars - _FOOTER_CHARS
    kept: list[str] = []
    for line in lines:
        if len(line) < room:
            kept.append(line)
            room -= len(line) + 1
    return "\n".join([*kept, _FOOTER.format(count=len(lines) - len(kept))])


def _line(entry: CatalogEntry) -> str:
    hint = "" if entry.input_hint == "{}" else entry.input_hint
    return f"- {entry.bare_name}({hint}) -> {entry.output_hint or '?'}"
