"""Search by meaning, with vectors of the host's own."""

from __future__ import annotations

from collections.abc import Sequence

from toolcell.catalog import Document, MeaningRanker

MEANINGS = {"car": (1.0, 0.0), "vehicle": (0.9, 0.1), "fruit": (0.0, 1.0), "apple": (0.1, 0.9), "nothing": (0.0, 0.0)}


class Model:
    """Knows a few words, and counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, texts: Sequence[str]) -> list[tuple[float, float]]:
        self.asked.append(list(texts))
        return [next(vector for word, vector in MEANINGS.items() if word in text) for text in texts]


def document(name: str) -> Document:
    return Document(f"host:core:{name}", name, "", "", "")


def test_what_means_the_same_is_found_without_a_common_word() -> None:
    ranker = MeaningRanker(Model())
    ranker.add([document("apple"), document("vehicle")])

    assert ranker.rank("car", 1) == ["host:core:vehicle"]


def test_word_and_meaning_together_beat_either() -> None:
    ranker = MeaningRanker(Model())
    ranker.add([document("vehicle"), document("car"), document("apple"), document("nothing")])

    assert ranker.rank("car", 2) == ["host:core:car", "host:core:vehicle"]


def test_the_model_sees_each_tool_once_and_each_query_once() -> None:
    model = Model()
    ranker = MeaningRanker(model)
    ranker.add([document("apple"), document("car")])

    ranker.rank("fruit", 2)
    ranker.rank("vehicle", 2)

    assert model.asked == [["apple", "car"], ["fruit"], ["vehicle"]]


def test_removed_tools_are_no_hits_and_a_vector_of_zeros_does_no_harm() -> None:
    ranker = MeaningRanker(Model())
    ranker.add([document("apple"), document("fruit"), document("nothing")])
    ranker.remove(["host:core:fruit", "host:core:unknown"])

    assert ranker.rank("fruit", 5) == ["host:core:apple", "host:core:nothing"]


def test_the_model_reads_names_as_words() -> None:
    asked: list[str] = []

    def embed(texts: Sequence[str]) -> list[tuple[float, float]]:
        asked.extend(texts)
        return [(1.0, 0.0)] * len(texts)

    MeaningRanker(embed).add([Document("host:core:getUser_by-id", "getUser_by-id", "Users", "Finds one.", "id")])

    assert asked == ["Users. get User by id. Finds one."]


def test_without_tools_nothing_is_found() -> None:
    model = Model()

    assert (list(MeaningRanker(model).rank("car", 5)), model.asked) == ([], [])
