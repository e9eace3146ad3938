"""Search by meaning, with vectors that the host's own model makes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from toolcell.catalog.search import Document, WordRanker
from toolcell.catalog.words import parts

if TYPE_CHECKING:
    import numpy

Embed: TypeAlias = Callable[[Sequence[str]], Any]
"""Turns texts into vectors of one length: a two-dimensional array, or a list of lists of numbers."""

_DEPTH = 60
"""Hits by words that count."""


class MeaningRanker:
    """Adds likeness in meaning to what words say.

    The score of a tool is the cosine of its vector and the query's, or 0 if that is below, plus its score by words as a
    share of the best one: neither has to be tuned to a model, and a tool that is best in one of them is near the front.

    Args:
        embed: The host's model. Called once for a batch of new tools and once for each query, in the thread that
            searches; vectors are compared by their angle.

    Raises:
        ModuleNotFoundError: numpy is missing, at the first use.

    Source:
        A sum of scores rather than of ranks: Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid
        Retrieval" (2023). Both were measured here; the figures are in the benchmarks.
    """

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._words = WordRanker()
        self._vectors: dict[str, numpy.ndarray] = {}
        self._matrix: numpy.ndarray | None = None

    def add(self, documents: Sequence[Document]) -> None:
        """Take up documents; one with a known id replaces that one."""
        self._words.add(documents)
        texts = [". ".join(filter(None, (found.label, parts(found.name), found.description))) for found in documents]
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
        import numpy

        if not self._vectors:
            return []
        if self._matrix is None:
            self._vectors = dict(sorted(self._vectors.items()))
            self._matrix = numpy.stack(list(self._vectors.values()))
        scores = numpy.maximum(self._matrix @ self._unit_vectors([query])[0], 0)
        ids = list(self._vectors)
        hits = self._words.scored(query, _DEPTH)
        for id, score in hits:
            scores[bisect_left(ids, id)] += score / hits[0][1]
        best: list[int] = numpy.argsort(-scores, kind="stable")[:limit].tolist()
        return [ids[index] for index in best]

    def _unit_vectors(self, texts: Sequence[str]) -> numpy.ndarray:
        import numpy

        vectors = numpy.asarray(self._embed(texts), dtype=numpy.float32)
        lengths = numpy.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / numpy.where(lengths == 0, 1, lengths)
