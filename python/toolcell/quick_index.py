"""The list of tools in the description of ``exec``: one line for each, within a fixed size."""

from __future__ import annotations

from collections.abc import Sequence

from toolcell.catalog.entry import CatalogEntry
from toolcell.token_estimate import estimate_tokens

MAX_INDEX_CHARS = 8_000
"""Code points of the whole index, footer included."""
MAX_CUT_INDEX_TOKENS = 2_350
"""Tokens, as estimated, of an index that leaves out tools: with the rest of ``exec`` and ``wait`` at most 3,200."""

_FOOTER = '({count} more: await tools.search("words") finds them)'
_LONGEST_FOOTER = "\n" + _FOOTER.format(count=10**9)
_MAX_MISSES = 200
"""Lines found to be too many tokens before the rest is left out unseen: an estimate costs more than all else of a line."""


def quick_index(entries: Sequence[CatalogEntry], *, max_chars: int = MAX_INDEX_CHARS) -> str:
    """List tools as ``- name(input) -> output``, declared outputs first, then by id.

    A catalog that fits into ``max_chars`` is listed whole. Of a larger one, a line that does not fit, or would make it
    too many tokens, is skipped; later and smaller ones may still enter; a footer counts what was left out.
    Tools of MCP servers never stand here: a stranger wrote their names.

    Returns:
        The lines, at most ``max_chars`` code points; empty without tools. Equal catalogs give equal text.
    """
    listed = [entry for entry in entries if entry.tool.kind != "mcp"]
    listed.sort(key=lambda entry: (entry.output_hint is None, entry.id))
    lines = [_line(entry) for entry in listed]
    if sum(map(len, lines)) + len(lines) - 1 <= max_chars:
        return "\n".join(lines)
    kept = _cut(lines, max_chars - len(_LONGEST_FOOTER), MAX_CUT_INDEX_TOKENS - estimate_tokens(_LONGEST_FOOTER))
    return "\n".join([*kept, _FOOTER.format(count=len(lines) - len(kept))])


def _cut(lines: Sequence[str], chars: int, tokens: int) -> list[str]:
    """Keep the lines that fit, each with its line break, first come, first served."""
    kept: list[str] = []
    misses = 0
    for line in lines:
        if len(line) >= chars or misses == _MAX_MISSES:
            continue
        needed = estimate_tokens(f"{line}\n")
        if needed > tokens:
            misses += 1
            continue
        kept.append(line)
        chars -= len(line) + 1
        tokens -= needed
    return kept


def _line(entry: CatalogEntry) -> str:
    hint = "" if entry.input_hint == "{}" else entry.input_hint
    return f"- {entry.bare_name}({hint}) -> {entry.output_hint or '?'}"
