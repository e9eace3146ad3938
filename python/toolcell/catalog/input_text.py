"""What a tool's input schema says in words, for search."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, cast

MAX_CHARS = 4_000
MAX_PARTS = 500
"""What is read of a schema, which others may have written; what lies nearest to its root is read first."""

_KINDS = {
    "description": "text",
    "enum": "values",
    "properties": "named",
    **dict.fromkeys(("$defs", "definitions"), "map"),
    **dict.fromkeys(("anyOf", "oneOf", "allOf", "prefixItems"), "list"),
    **dict.fromkeys(("items", "additionalProperties"), "part"),
}


def input_text(schema: Mapping[str, Any]) -> str:
    """Return the names of properties, their descriptions and the values they may have, separated by spaces.

    Never raises, whatever the schema; at most `MAX_CHARS` code points. The description of the input as a whole is
    left out: it usually repeats the tool's own.
    """
    found: list[str] = []
    parts: list[Any] = [{**schema, "description": None}]
    size = 0
    for part in islice(parts, MAX_PARTS):  # grows meanwhile
        before = len(found)
        if isinstance(part, dict):
            _read(cast("dict[str, Any]", part), found, parts)
        size += sum(map(len, found[before:]))
        if size >= MAX_CHARS:
            break
    return " ".join(found)[:MAX_CHARS]


def _read(part: dict[str, Any], found: list[str], parts: list[Any]) -> None:
    for key, value in part.items():
        kind = _KINDS.get(key)
        if kind is None:
            continue
        if kind == "text":
            if isinstance(value, str):
                found.append(value[:MAX_CHARS])
        elif kind == "part":
            parts.append(value)
        elif isinstance(value, dict):
            named = cast("dict[str, Any]", value)
            if kind == "named":
                found += [str(name)[:MAX_CHARS] for name in named]
            if kind in ("named", "map"):
                parts += named.values()
        elif isinstance(value, list):
            values = cast("list[Any]", value)
            if kind == "list":
                parts += values
            elif kind == "values":
                found += [str(one)[:MAX_CHARS] for one in values[:MAX_PARTS] if isinstance(one, (str, int))]
