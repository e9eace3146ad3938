"""Ranking of tools by words: BM25 over weighted fields."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from toolcell.catalog.words import words

_NAME, _LABEL, _DESCRIPTION, _PARAMETERS = 1.5, 1.25, 1.0, 0.75
_K1 = 0.9
_B = 0.9


@dataclass(frozen=True, slots=True)
class Document:
    """What search knows of a tool."""

    id: str
    name: str
    label: str
    description: str
    parameters: str
    """Names of the input's properties, separated by spaces."""


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
    """BM25 over name, label, description and parameter names; the default `Ranker`.

    Source:
        Robertson & Zaragoza, "The Probabilistic Relevance Framework" (2009): fields are weighed before the
        saturation of term frequency (BM25F); length is normalised once, over the words of all fields.
    """

    def __init__(self) -> None:
        self._slots: dict[str, int] = {}
        """Position of each document in the lists below, by id."""
        self._ids: list[str] = []
        self._weights: list[dict[str, float]] = []
        """Weighed frequency of each word; empty where a document was removed."""
        self._lengths: list[int] = []
        """Words of each document."""
        self._free: list[int] = []
        self._postings: dict[str, list[int]] = {}
        self._impacts: dict[str, list[tuple[int, float]]] = {}
        """Score that a word adds to each document; made at its first use since the last change."""
        self._total_length = 0

    def add(self, documents: Sequence[Document]) -> None:
        """Take up documents; one with a known id replaces that one."""
        self.remove(document.id for document in documents)
        self._impacts.clear()
        for document in documents:
            weights, length = _weigh_fields(document)
            slot = self._slots[document.id] = self._take_slot()
            self._ids[slot], self._weights[slot], self._lengths[slot] = document.id, weights, length
            self._total_length += length
            for word in weights:
                postings = self._postings.get(word)
                if postings is None:
                    self._postings[word] = [slot]
                else:
                    postings.append(slot)

    def remove(self, ids: Iterable[str]) -> None:
        """Forget documents; unknown ids are ignored."""
        for id in ids:
            slot = self._slots.pop(id, None)
            if slot is None:
                continue
            weights, self._weights[slot] = self._weights[slot], {}
            self._impacts.clear()
            self._free.append(slot)
            self._total_length -= self._lengths[slot]
            for word in weights:
                self._postings[word].remove(slot)

    def rank(self, query: str, limit: int) -> Sequence[str]:
        """Return up to ``limit`` ids, best first, ties by id."""
        scores = [0.0] * len(self._ids)
        for word in dict.fromkeys(words(query)):
            for slot, impact in self._impact(word):
                scores[slot] += impact
        best = heapq.nlargest(limit, scores)
        floor = best[-1] if best else 0.0
        hits = [(-score, self._ids[slot]) for slot, score in enumerate(scores) if score and score >= floor]
        return [id for _, id in sorted(hits)[:limit]]

    def _take_slot(self) -> int:
        if self._free:
            return self._free.pop()
        self._ids.append("")
        self._weights.append({})
        self._lengths.append(0)
        return len(self._ids) - 1

    def _impact(self, word: str) -> list[tuple[int, float]]:
        impacts = self._impacts.get(word)
        if impacts is None:
            impacts = self._impacts[word] = self._weigh(word)
        return impacts

    def _weigh(self, word: str) -> list[tuple[int, float]]:
        slots = self._postings.get(word, [])
        count = len(self._slots)
        rarity = math.log(1 + (count - len(slots) + 0.5) / (len(slots) + 0.5))
        mean_length = self._total_length / count if count else 1.0
        impacts: list[tuple[int, float]] = []
        for slot in slots:
            frequency = self._weights[slot][word]
            damping = _K1 * (1 - _B + _B * self._lengths[slot] / mean_length)
            impacts.append((slot, rarity * frequency * (_K1 + 1) / (frequency + damping)))
        return impacts


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
        found = words(text)
        length += len(found)
        for word in found:
            weights[word] = weights.get(word, 0.0) + weight
    return weights, length
