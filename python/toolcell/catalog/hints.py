"""JSON Schema as one-line hints for the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolcell.catalog.typescript import TooLongError, TypeRenderer


@dataclass(frozen=True, slots=True)
class Hint:
    """A type in one line of TypeScript."""

    text: str
    complete: bool
    """Nothing of the schema was left out, and every object is closed."""


UNKNOWN = Hint("unknown", complete=False)


def render_hint(schema: Any, *, max_chars: int, max_depth: int, max_properties: int) -> Hint:
    """Render a JSON Schema as one line of TypeScript.

    Where it doesn't fit, ``...`` stands for what was left out: deep objects first, then properties.

    Args:
        schema: A JSON Schema, draft-07 or 2020-12; anything else is ``unknown``.
        max_chars: Longest text, in code points.
        max_depth: Levels of objects that are written out.
        max_properties: Properties of one object that are written out.

    Returns:
        The hint. Unreadable schemas give ``unknown``, never an error.

    Source:
        JSON Schema 2020-12; ``anyOf`` and ``oneOf`` both become unions, so "exactly one" is not expressed. A recursive
        type is written out once and named within itself.
    """
    for depth, properties in _steps(max_depth, max_properties):
        renderer = TypeRenderer(schema, max_chars=max_chars, max_depth=depth, max_properties=properties)
        try:
            text = renderer.render().text
        except TooLongError:
            continue
        if len(text) <= max_chars:
            return Hint(text, renderer.complete)
    return UNKNOWN


def _steps(max_depth: int, max_properties: int) -> Iterator[tuple[int, int]]:
    """Levels and properties, ever less of them."""
    for depth in range(max_depth, 0, -1):
        yield depth, max_properties
    while (max_properties := max_properties // 2) > 0:
        yield 1, max_properties
