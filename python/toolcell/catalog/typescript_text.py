"""Words of strangers as parts of TypeScript: literals, property names, doc comments. None can end what it stands in."""

from __future__ import annotations

import json
import re
from typing import Any

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")
_NOTES = ("format", "default", "minimum", "maximum")
_MAX_NOTE_CHARS = 40


def literal(value: Any) -> str:
    """Return a string, number, boolean or null as a literal; ``unknown`` for anything else.

    A string with characters that can't be seen, such as those that turn the direction of a line, is written in ASCII.
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=not value.isprintable())
    if isinstance(value, (int, float, type(None))):
        try:
            return json.dumps(value, allow_nan=False)
        except ValueError:
            pass  # infinity, no number, or more digits than Python writes
    return "unknown"


def property_key(name: str) -> str:
    """Return ``name`` as the name of a property, quoted unless it is a plain identifier."""
    return name if _IDENTIFIER.match(name) else literal(name)


def comment_text(text: str, max_chars: int) -> str:
    """Return ``text`` as one line for a block comment.

    White space is folded. Characters that can't be seen are dropped; what would end the comment, or direct the compiler,
    is broken by a blank.

    Args:
        text: Anything.
        max_chars: Longest result, in code points; a longer one ends in ``…``.
    """
    words = " ".join(text[: max_chars * 4].split())
    if not words.isprintable():
        words = "".join(char for char in words if char.isprintable())
    words = words.replace("*/", "* /").replace("@ts-", "@ ts-")
    return words if len(words) <= max_chars else words[: max_chars - 1].rstrip() + "…"


def schema_text(schema: dict[str, Any], max_chars: int) -> str:
    """Return as comment text what a schema says and a type can't: description, format, default, range."""
    description = schema.get("description")
    text = comment_text(description, max_chars) if isinstance(description, str) else ""
    notes = [f"{key}: {_note(schema[key])}" for key in _NOTES if isinstance(schema.get(key), (str, int, float))]
    return " ".join([text, *notes] if text else notes)


def _note(value: Any) -> str:
    return comment_text(literal(value[:_MAX_NOTE_CHARS] if isinstance(value, str) else value), _MAX_NOTE_CHARS)
