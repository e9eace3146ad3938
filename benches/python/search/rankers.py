"""The rankers that are compared. Each is made of tools and returns positions of tools for a query, best first."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import bm25s
import rank_bm25
import Stemmer
from fastmcp.server.transforms.search import bm25 as fastmcp_bm25

from benches.python.search.corpus import Described
from benches.python.search.encoder import Encoder
from toolcell.catalog import Document, MeaningRanker, Ranker, WordRanker
from toolcell.catalog.catalog import MAX_QUERY_CHARS
from toolcell.catalog.input_text import input_text

DEPTH = 50
"""Hits that are looked at."""

Rank = Callable[[str], Sequence[int]]
Make = Callable[[Sequence[Described]], Rank]
Text = Callable[[Described], str]

_IDENTIFIER_PART = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|\d+")


def split(text: str) -> str:
    """Put spaces between the parts of identifiers."""
    return " ".join(_IDENTIFIER_PART.findall(text))


def plain(tool: Described) -> str:
    """Name and description as they are."""
    return f"{tool.name} {tool.description}"


def with_names(tool: Described) -> str:
    """Name, description and names of parameters, identifiers split."""
    return split(f"{plain(tool)} {' '.join(tool.parameters)}")


def all_text(tool: Described) -> str:
    """All that toolcell searches, identifiers split."""
    return split(f"{plain(tool)} {input_text(tool.schema)}")


def toolcell_words(tools: Sequence[Described]) -> Rank:
    """The default ranker of a catalog."""
    return _toolcell(WordRanker(), tools)


def toolcell_meaning(encoder: Encoder) -> Make:
    """The same with a host's embeddings."""
    return lambda tools: _toolcell(MeaningRanker(encoder), tools)


def by_bm25s(text: Text, *, stemmed: bool = False) -> Make:
    """bm25s with its own tokenizer, which knows English stop words; stems only if asked for."""
    tokenize = partial(bm25s.tokenize, stemmer=Stemmer.Stemmer("english") if stemmed else None, show_progress=False)

    def make(tools: Sequence[Described]) -> Rank:
        index = bm25s.BM25()
        index.index(tokenize([text(tool) for tool in tools]), show_progress=False)

        def rank(query: str) -> list[int]:
            tokens = tokenize([query if text is plain else split(query)])
            if not tokens.vocab:
                return []
            found, scores = index.retrieve(tokens, k=DEPTH, show_progress=False)
            return [int(place) for place, score in zip(found[0], scores[0], strict=True) if score > 0]

        return rank

    return make


def by_rank_bm25(text: Text) -> Make:
    """rank-bm25, which leaves it to its user to split: at spaces, in lower case, as its documentation does."""

    def make(tools: Sequence[Described]) -> Rank:
        index = rank_bm25.BM25Okapi([text(tool).lower().split() for tool in tools])

        def rank(query: str) -> list[int]:
            scores = index.get_scores((query if text is plain else split(query)).lower().split())
            return [int(place) for place in (-scores).argsort(kind="stable")[:DEPTH] if scores[place] > 0]

        return rank

    return make


def by_fastmcp(text: Text | None = None) -> Make:
    """The ranker of fastmcp's code mode. Without ``text`` it reads names, descriptions and parameters its own way."""

    def make(tools: Sequence[Described]) -> Rank:
        index = fastmcp_bm25._BM25Index()  # pyright: ignore[reportPrivateUsage] - there is no other way to a rank
        index.build([text(tool) if text else _fastmcp_text(tool) for tool in tools])
        return lambda query: index.query(split(query) if text else query, DEPTH)

    return make


def _fastmcp_text(tool: Described) -> str:
    made: Any = SimpleNamespace(name=tool.name, description=tool.description, parameters=tool.schema)
    return fastmcp_bm25._extract_searchable_text(made)  # pyright: ignore[reportPrivateUsage]


def _toolcell(ranker: Ranker, tools: Sequence[Described]) -> Rank:
    ranker.add(
        [Document(f"{place:06}", tool.name, "", tool.description, input_text(tool.schema)) for place, tool in enumerate(tools)]
    )
    return lambda query: [int(id) for id in ranker.rank(query[:MAX_QUERY_CHARS], DEPTH)]
