"""How good rankings are, and how sure it is that one is better than another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benches.python.search.corpus import Corpus
from benches.python.search.rankers import DEPTH, Make

_RESAMPLES = 10_000
CUTS = (1, 5, 8)


@dataclass(frozen=True, slots=True)
class Places:
    """Where the first right answer stood for each query, from 1; 0 where it was not among the hits."""

    places: Sequence[int]

    def recalls(self, cut: int) -> np.ndarray:
        """For each query, whether an answer was among the first ``cut`` hits."""
        places = np.array(self.places)
        return ((places > 0) & (places <= cut)).astype(float)

    def reciprocal(self) -> np.ndarray:
        """For each query, 1 divided by the place, or 0."""
        places = np.array(self.places, float)
        return np.divide(1, places, out=np.zeros_like(places), where=places > 0)


def measure(make: Make, corpus: Corpus) -> Places:
    """Rank all queries of a corpus."""
    rank = make(corpus.tools)
    names = [tool.name for tool in corpus.tools]
    places: list[int] = []
    for asked in corpus.queries:
        hits = enumerate(rank(asked.query)[:DEPTH], 1)
        places.append(next((place for place, hit in hits if names[hit] in asked.answers), 0))
    return Places(places)


def interval(ours: np.ndarray, theirs: np.ndarray) -> tuple[float, float]:
    """The 95 % interval of the mean difference, by a paired bootstrap over queries; always the same for equal input."""
    difference = ours - theirs
    picks = np.random.default_rng(1).integers(len(difference), size=(_RESAMPLES, len(difference)))
    low, high = np.percentile(difference[picks].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)
