"""Text of others that a person is shown."""

from __future__ import annotations


def shown(text: str, limit: int) -> str:
    """At most about ``limit`` characters in one line; what can't be seen, or turns text around, is spelled out."""
    cut = text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit} more characters)"
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in cut)
