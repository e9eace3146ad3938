"""Values without what looks like a secret."""

from __future__ import annotations

import re
from typing import cast

from toolcell.values import Json

REDACTED = "[redacted]"
_SECRET = re.compile(
    r"pass(word|phrase|code|wd)|pwd|secret|token|(api|access|private)[-_ ]?key|credential|authorization|bearer|cookie"
    r"|(?<![a-z])auth(?![a-z])",
    re.IGNORECASE,
)
_MAX_DEPTH = 32


def redacted(value: object, depth: int = 0) -> Json:
    """Return a copy of JSON data in which values under telling names are replaced, and what lies too deep.

    Limits:
        Names decide, not values: a secret under a harmless name stays. A host that has such must say so in its policy.
    """
    if depth > _MAX_DEPTH:
        return REDACTED
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return {str(name): REDACTED if _SECRET.search(str(name)) else redacted(item, depth + 1) for name, item in items}
    if isinstance(value, (list, tuple)):
        return [redacted(item, depth + 1) for item in cast("list[object]", value)]
    return value if isinstance(value, (bool, int, float, str)) or value is None else REDACTED
