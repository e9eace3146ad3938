"""Search over arbitrary documents."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toolcell.catalog.search import Document, WordRanker

texts = (
    st.lists(
        st.sampled_from(["list", "create", "issue", "issues", "user", "file", "search_files", "readFile", "the", "of", "42"]),
        max_size=5,
    ).map(" ".join)
    | st.text()
)
documents = st.lists(
    st.builds(Document, st.text("abc", min_size=1, max_size=3), texts, texts, texts, texts),
    unique_by=lambda document: document.id,
    max_size=10,
)


def ranker_of(found: list[Document]) -> WordRanker:
    ranker = WordRanker()
    ranker.add(found)
    return ranker


@given(found=documents, query=texts, limit=st.integers(0, 12))
def test_hits_are_different_known_and_within_the_limit_and_shorter_limits_give_a_prefix(
    found: list[Document], query: str, limit: int
) -> None:
    ranker = ranker_of(found)

    hits = list(ranker.rank(query, limit))

    assert len(set(hits)) == len(hits) <= limit
    assert set(hits) <= {document.id for document in found}
    assert list(ranker.rank(query, 12))[:limit] == hits


@given(found=documents, query=texts, data=st.data())
def test_the_order_of_registration_does_not_matter(found: list[Document], query: str, data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(found))

    assert list(ranker_of(found).rank(query, 12)) == list(ranker_of(list(shuffled)).rank(query, 12))


@given(found=documents, query=texts, data=st.data())
def test_removing_gives_what_never_adding_gives(found: list[Document], query: str, data: st.DataObject) -> None:
    gone: set[Document] = data.draw(st.sets(st.sampled_from(found))) if found else set()
    ranker = ranker_of(found)

    ranker.remove(document.id for document in gone)

    assert list(ranker.rank(query, 12)) == list(
        ranker_of([document for document in found if document not in gone]).rank(query, 12)
    )
