"""From text to the words that search compares."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, cast

import Stemmer

_WORD = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_COMMON = """
    a an and are as at be by can do for from has have how i if in into is it its me my of on or so that the their this
    to use used using was what when which will with you your
"""
_STOP_WORDS = frozenset(_COMMON.split())
_stemmer: Any = cast("Any", Stemmer).Stemmer("english", 0)  # the package has no type stubs

_REMEMBERED_CHARS = 64
"""Longest piece of text whose words are kept for the next time: what others wrote must not fill the memory."""


def words(text: str) -> list[str]:
    """Split ``text`` into stems: at spaces, punctuation, changes of case, and between letters and digits.

    Words so common that they say nothing are left out.
    """
    return [stem for piece in text.split() for stem in (_stems(piece) if len(piece) <= _REMEMBERED_CHARS else _split(piece))]


def parts(identifier: str) -> str:
    """Return the words of an identifier as they are written, separated by spaces."""
    return " ".join(_WORD.findall(identifier))


def _split(piece: str) -> tuple[str, ...]:
    folded = (word.casefold() for word in _WORD.findall(piece))
    return tuple(_stemmer.stemWord(word) for word in folded if word not in _STOP_WORDS)


_stems = lru_cache(maxsize=65_536)(_split)
