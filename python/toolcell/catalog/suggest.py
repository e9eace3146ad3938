"""Names that a wrong one may have meant."""

from __future__ import annotations

import difflib
import heapq
from collections.abc import Sequence

MAX_COMPARED = 1_000
"""Names that are compared letter by letter; of more, those of the most alike lengths."""
MAX_COMPARED_CHARS = 64
"""Of each name; what is longer is told apart by its beginning."""


def nearest(name: str, known: Sequence[str], limit: int) -> list[str]:
    """Return up to ``limit`` known names that are spelled like ``name``, best first; case and ``_`` don't matter."""
    folded: dict[str, str] = {}
    if len(known) > MAX_COMPARED:
        known = heapq.nsmallest(MAX_COMPARED, known, key=lambda candidate: abs(len(candidate) - len(name)))
    for candidate in known:
        folded.setdefault(_fold(candidate), candidate)
    return [folded[match] for match in difflib.get_close_matches(_fold(name), folded, limit, cutoff=0.6)]


def _fold(name: str) -> str:
    return name[:MAX_COMPARED_CHARS].casefold().replace("_", "").replace("-", "")
