"""Words that are spelt alike."""

from __future__ import annotations

import heapq
from collections import Counter

_GRAM = 4
_ALIKE = 0.4
"""Least likeness that counts: one wrong letter in a word of seven."""


class Spelling:
    """Finds known words that are spelt like an unknown one: misspelt, inflected or compound words.

    Likeness is Dice's coefficient of the words' groups of four letters, with a mark at each end; from 0 to 1.
    """

    def __init__(self) -> None:
        self._words: dict[str, set[str]] = {}
        """Known words by letter group."""

    def add(self, word: str) -> None:
        """Take up a word."""
        for gram in _grams(word):
            self._words.setdefault(gram, set()).add(word)

    def remove(self, word: str) -> None:
        """Forget a word that was added."""
        for gram in _grams(word):
            same = self._words[gram]
            same.discard(word)
            if not same:
                del self._words[gram]

    def like(self, word: str, limit: int) -> list[tuple[str, float]]:
        """Return up to ``limit`` known words and their likeness, most alike first, ties by alphabet; none for a number."""
        if word.isdigit():
            return []
        grams = _grams(word)
        shared = Counter(other for gram in grams for other in self._words.get(gram, ()))
        likeness = ((-2 * count / (len(grams) + len(_grams(other))), other) for other, count in shared.items())
        return [(other, -score) for score, other in heapq.nsmallest(limit, (pair for pair in likeness if pair[0] <= -_ALIKE))]


def _grams(word: str) -> set[str]:
    marked = f"^{word}$"
    return {marked[at : at + _GRAM] for at in range(max(1, len(marked) - _GRAM + 1))}
