"""Ranking of tools by words: BM25 over weighted fields."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from toolcell.catalog.spelling import Spelling
from toolcell.catalog.words import words

_NAME, _LABEL, _DESCRIPTION, _PARAMETERS = 1.5, 1.25, 1.0, 0.75
_K1, _B = 0.9, 0.75
_RARITY, _LETTERS = 0.7, 0.25
"""Powers to which a word's rarity and its number of letters are raised for its weight. Asked in a sentence, the rarest
words are rather the data than the deed, and short words are rather met by chance; both were tuned with the rest."""
_ALIKE = 8
"""Known words that stand in for one that no tool has."""


@dataclass(frozen=True, slots=True)
class Document:
    """What search knows of a tool."""

    id: str
    name: str
    label: str
    description: str
    parameters: str
    """Names of the input's properties, what is said of them and the values they may have, separated by spaces."""


class Ranker(Protocol):
    """Ranks tools for a query. Knows documents only; what a run may see is decided before."""

    def add(self, documents: Sequence[Document]) -> None:
        """Take up documents; one with a known id replaces that one."""
        ...

    def remove(self, ids: Iterable[str]) -> None:
        """Forget documents; unknown ids are ignored."""
        ...

    def rank(self, query: str, limit: int) -> Sequence[str]:
        """Return up to ``limit`` ids, best first, ties by id; only such as have to do with the query."""
        ...


class WordRanker:
    """BM25 over name, label, description and parameters; the default `Ranker`.

    A word that no tool has counts as those spelt like it, each as far as it is alike.

    Source:
        Robertson & Zaragoza, "The Probabilistic Relevance Framework" (2009): fields are weighed before the
        saturation of term frequency (BM25F); length is normalised once, over the words of all fields.
        Turtle & Flood, "Query Evaluation" (1995): the commonest words are only looked up in what can still be a hit.
    """

    def __init__(self) -> None:
        self._slots: dict[str, int] = {}
        """Position of each document in the lists below, by id."""
        self._ids: list[str] = []
        self._words: list[tuple[str, ...]] = []
        """Different words of each document; empty where one was removed."""
        self._lengths: list[int] = []
        """Number of words of each document."""
        self._free: list[int] = []
        self._postings: dict[str, dict[int, float]] = {}
        """Weighed frequency of each word in each document that has it."""
        self._spelling = Spelling()
        self._total_length = 0
        self._damping: list[float] = []
        """What saturates frequencies in each document; empty after a change."""
        self._kept: dict[str, dict[int, float]] = {}
        """What words add to the scores of documents, from their first use on; empty after a change."""

    def add(self, documents: Sequence[Document]) -> None:
        """Take up documents; one with a known id replaces that one."""
        for document in documents:
            self.remove([document.id])
            frequencies, length = _weigh_fields(document)
            slot = self._slots[document.id] = self._take_slot()
            self._ids[slot], self._words[slot], self._lengths[slot] = document.id, tuple(frequencies), length
            self._total_length += length
            for word, frequency in frequencies.items():
                postings = self._postings.get(word)
                if postings is None:
                    postings = self._postings[word] = {}
                    self._spelling.add(word)
                postings[slot] = frequency
        self._forget_sums()

    def remove(self, ids: Iterable[str]) -> None:
        """Forget documents; unknown ids are ignored."""
        for id in ids:
            slot = self._slots.pop(id, None)
            if slot is None:
                continue
            gone, self._words[slot] = self._words[slot], ()
            self._free.append(slot)
            self._total_length -= self._lengths[slot]
            for word in gone:
                postings = self._postings[word]
                del postings[slot]
                if not postings:
                    del self._postings[word]
                    self._spelling.remove(word)
        self._forget_sums()

    def rank(self, query: str, limit: int) -> Sequence[str]:
        """Return up to ``limit`` ids, best first, ties by id."""
        return [id for id, _ in self.scored(query, limit)]

    def scored(self, query: str, limit: int) -> list[tuple[str, float]]:
        """Return up to ``limit`` ids, best first, ties by id, each with its score, which is above 0."""
        terms = sorted(map(self._term, dict.fromkeys(words(query))), key=lambda term: -term.weight)
        left = sum(term.weight for term in terms)
        scores: dict[int, float] = {}
        for term in terms:
            if len(term.frequencies) > len(scores) >= limit and _nth(limit, scores) >= left:
                frequencies = {slot: term.frequencies[slot] for slot in scores if slot in term.frequencies}
                gains = self._gains(term.weight, frequencies)  # no other document can come up any more
            else:
                gains = self._all_gains(term)
            for slot, score in scores.items():
                gains[slot] = gains.get(slot, 0.0) + score
            scores = gains
            left -= term.weight
        return self._best(scores, limit)

    def _best(self, scores: dict[int, float], limit: int) -> list[tuple[str, float]]:
        floor = _nth(limit, scores)
        above = sorted((-score, self._ids[slot]) for slot, score in scores.items() if score > floor)
        level = (self._ids[slot] for slot, score in scores.items() if score == floor)
        return [(id, -score) for score, id in above] + [(id, floor) for id in heapq.nsmallest(limit - len(above), level)]

    def _term(self, word: str) -> _Term:
        frequencies = self._postings.get(word) or self._alike(word)
        rarity = math.log(1 + (len(self._slots) - len(frequencies) + 0.5) / (len(frequencies) + 0.5))
        return _Term(word, rarity**_RARITY * len(word) ** _LETTERS, frequencies)

    def _alike(self, word: str) -> dict[int, float]:
        merged: dict[int, float] = {}
        for other, likeness in self._spelling.like(word, _ALIKE):
            for slot, frequency in self._postings[other].items():
                merged[slot] = merged.get(slot, 0.0) + likeness**2 * frequency
        return merged

    def _all_gains(self, term: _Term) -> dict[int, float]:
        """Return what a term adds to each document that has it; kept if the word is known."""
        gains = self._kept.get(term.word)
        if gains is None:
            gains = self._gains(term.weight, term.frequencies)
            if term.word in self._postings:
                self._kept[term.word] = gains
        return gains.copy()

    def _gains(self, weight: float, frequencies: dict[int, float]) -> dict[int, float]:
        if not self._damping:
            mean = self._total_length / len(self._slots) if self._total_length else 1.0
            self._damping = [_K1 * (1 - _B + _B * length / mean) for length in self._lengths]
        damping = self._damping
        return {slot: weight * frequency / (frequency + damping[slot]) for slot, frequency in frequencies.items()}

    def _forget_sums(self) -> None:
        self._damping.clear()
        self._kept.clear()

    def _take_slot(self) -> int:
        if self._free:
            return self._free.pop()
        self._ids.append("")
        self._words.append(())
        self._lengths.append(0)
        return len(self._ids) - 1


class _Term(NamedTuple):
    """A word of a query: the most that it adds to a score, and its weighed frequency in each document."""

    word: str
    weight: float
    frequencies: dict[int, float]


def _nth(limit: int, scores: dict[int, float]) -> float:
    """Return the lowest of the best ``limit`` scores."""
    return min(heapq.nlargest(limit, scores.values()), default=math.inf)


def _weigh_fields(document: Document) -> tuple[dict[str, float], int]:
    """Return the weighed frequency of each word, and how many words there are."""
    weights: dict[str, float] = {}
    length = 0
    for text, weight in (
        (document.name, _NAME),
        (document.label, _LABEL),
        (document.description, _DESCRIPTION),
        (document.parameters, _PARAMETERS),
    ):
        found = words(text) if text else ()
        length += len(found)
        for word in found:
            weights[word] = weights.get(word, 0.0) + weight
    return weights, length
