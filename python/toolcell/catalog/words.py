"""From text to the words that search compares."""

from __future__ import annotations

import re
from functools import lru_cache

import Stemmer

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")
_STOP_WORDS = frozenset(
    "a an and are as at be by can do for from get has have how i if in into is it its me my of on or so that the their "
    "this to use used using was what when which will with you your".split()
) - {"get"}
_stemmer = Stemmer.Stemmer("english", 0)


def words(text: str) -> list[str]:
    """Split ``text`` into stems: at spaces, punctuation, changes of case, and between letters and digits.

    Words so common that they say nothing are left out.
    """
    return [stem for word in _WORD.findall(text) if (stem := _stem(word))]


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    folded = word.casefold()
    return "" if folded in _STOP_WORDS else _stemmer.stemWord(folded)
