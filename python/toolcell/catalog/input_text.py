"""What a tool's input schema says in words, for search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, TypeAlias, cast

MAX_CHARS = 4_000
MAX_PARTS = 500
"""What is read of a schema, which others may have written; what lies nearest to its root is read first."""

_Read: TypeAlias = Callable[[Any, list[str], list[Any]], None]
"""Takes a keyword's value, adds texts to the first list and subschemas to the second."""


def input_text(schema: Mapping[str, Any]) -> str:
    """Return the names of properties, their descriptions and the values they may have, separated by spaces.

    Never raises, whatever the schema; at most `MAX_CHARS` code points. The description of the input as a whole is
    left out: it usually repeats the tool's own.
    """
    found: list[str] = []
    parts: list[Any] = [{**schema, "description": None}]
    for part in islice(parts, MAX_PARTS):  # `parts` grows meanwhile
        if isinstance(part, dict):
            for keyword, value in cast("dict[str, Any]", part).items():
                read = _READ.get(keyword)
                if read is not None:
                    read(value, found, parts)
    return " ".join(found)[:MAX_CHARS]


def _text(value: Any, found: list[str], parts: list[Any]) -> None:
    if isinstance(value, str):
        found.append(value)


def _values(value: Any, found: list[str], parts: list[Any]) -> None:
    if isinstance(value, list):
        found += [one for one in cast("list[Any]", value) if isinstance(one, str)]


def _named(value: Any, found: list[str], parts: list[Any]) -> None:
    if isinstance(value, dict):
        named = cast("dict[str, Any]", value)
        found += map(str, named)
        parts += named.values()


def _definitions(value: Any, found: list[str], parts: list[Any]) -> None:
    if isinstance(value, dict):
        parts += cast("dict[str, Any]", value).values()


def _several(value: Any, found: list[str], parts: list[Any]) -> None:
    if isinstance(value, list):
        parts += value


def _one(value: Any, found: list[str], parts: list[Any]) -> None:
    parts.append(value)


_READ: dict[str, _Read] = {
    "description": _text,
    "enum": _values,
    "properties": _named,
    **dict.fromkeys(("$defs", "definitions"), _definitions),
    **dict.fromkeys(("anyOf", "oneOf", "allOf", "prefixItems"), _several),
    **dict.fromkeys(("items", "additionalProperties"), _one),
}
