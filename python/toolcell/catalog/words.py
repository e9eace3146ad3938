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


def words(text: str) -> list[str]:
    """Split ``text`` into stems: at spaces, punctuation, changes of case, and between letters and digits.

    Words so common that they say nothing are left out.
    """
    return [stem for word in _WORD.findall(text) if (stem := _stem(word))]


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    folded = word.casefold()
    return "" if folded in _STOP_WORDS else _stemmer.stemWord(folded)
