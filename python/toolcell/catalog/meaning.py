"""Search by meaning, with vectors that the host's own model makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from toolcell.catalog.search import Document, Ranker, WordRanker

if TYPE_CHECKING:
    import numpy

Embed: TypeAlias = Callable[[Sequence[str]], Any]
"""Turns texts into vectors of one length: a two-dimensional array, or a list of lists of numbers."""

_DEPTH = 60
"""Hits of either ranking that count, and how fast their weight falls: rank r adds 1 / (60 + r)."""


class MeaningRanker:
    """Fuses the order by words with the order by meaning.

    Args:
        embed: The host's model. Called once for a batch of new tools and once for each query, in the thread that
            searches; vectors are compared by their angle.
        words: Ranks by words; a `WordRanker` of its own by default.

    Raises:
        ModuleNotFoundError: numpy is missing, at the first use.

    Source:
        Reciprocal rank fusion: Cormack, Clarke and Büttcher, SIGIR 2009.
    """

    def __init__(self, embed: Embed, *, words: Ranker | None = None) -> None:
        self._embed = embed
        self._words = words or WordRanker()
        self._vectors: dict[str, numpy.ndarray] = {}
        self._matrix: numpy.ndarray | None = None

    def add(self, documents: Sequence[Document]) -> None:
        """Take up documents; one with a known id replaces that one."""
        self._words.add(documents)
        texts = [". ".join(filter(None, (found.label, found.name, found.description))) for found in documents]
        if texts:
            ids = (document.id for document in documents)
            self._vectors |= zip(ids, self._unit_vectors(texts), strict=True)
            self._matrix = None

    def remove(self, ids: Iterable[str]) -> None:
        """Forget documents; unknown ids are ignored."""
        gone = list(ids)
        self._words.remove(gone)
        for id in gone:
            self._vectors.pop(id, None)
        self._matrix = None

    def rank(self, query: str, limit: int) -> Sequence[str]:
        """Return up to ``limit`` ids, best first, ties by id. By meaning, everything is a hit."""
        scores: dict[str, float] = {}
        for ranking in (self._words.rank(query, _DEPTH), self._by_meaning(query)):
            for place, id in enumerate(ranking, 1):
                scores[id] = scores.get(id, 0.0) + 1 / (_DEPTH + place)
        return sorted(scores, key=lambda id: (-scores[id], id))[:limit]

    def _by_meaning(self, query: str) -> list[str]:
        import numpy

        if not self._vectors:
            return []
        if self._matrix is None:
            self._vectors = dict(sorted(self._vectors.items()))
            self._matrix = numpy.stack(list(self._vectors.values()))
        likeness = self._matrix @ self._unit_vectors([query])[0]
        ids = list(self._vectors)
        return [ids[index] for index in numpy.argsort(-likeness, kind="stable")[:_DEPTH]]

    def _unit_vectors(self, texts: Sequence[str]) -> numpy.ndarray:
        import numpy

        vectors = numpy.asarray(self._embed(texts), dtype=numpy.float32)
        lengths = numpy.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / numpy.where(lengths == 0, 1, lengths)
