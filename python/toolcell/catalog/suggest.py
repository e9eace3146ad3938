"""Names that a wrong one may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Sequence


def nearest(name: str, known: Sequence[str], limit: int) -> list[str]:
    """Return up to ``limit`` known names that are spelled like ``name``, best first; case and ``_`` don't matter."""
    folded: dict[str, str] = {}
    for candidate in known:
        folded.setdefault(_fold(candidate), candidate)
    return [folded[match] for match in difflib.get_close_matches(_fold(name), folded, limit, cutoff=0.6)]


def _fold(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")
