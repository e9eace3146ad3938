"""Names for the plain values that toolcell passes around."""

from __future__ import annotations

from typing import Any, TypeAlias, cast

from toolcell import _native

MAX_DEPTH = 1_000
"""What a cell gives has at most 512 levels."""

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""A JSON value as Python's ``json`` gives it; integers of any size."""

JsonSchema: TypeAlias = dict[str, Any]
"""A JSON Schema document whose root is an object (draft-07 or 2020-12); not checked by the type."""


def object_or_empty(value: object) -> dict[str, Any]:
    """Return ``value`` if it is a dict, else an empty one: for data that someone else made."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def json_text(value: object) -> str:
    """Return compact JSON of plain values, also with integers and nesting at which ``json`` gives up.

    Raises:
        ValueError: no JSON form, or more than 1,000 levels.
    """
    return _native.encode_json(value, max_depth=MAX_DEPTH, max_bytes=1 << 40).decode()


def well_formed(text: str) -> str:
    """Return ``text`` with lone surrogates, which have no UTF-8, replaced by U+FFFD; halves side by side are joined."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
