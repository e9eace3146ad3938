"""Ranking of tools by words."""

from __future__ import annotations

from toolcell.catalog.search import Document, WordRanker


def document(name: str, description: str = "", *, label: str = "", parameters: str = "") -> Document:
    return Document(f"host:core:{name}", name, label, description, parameters)


def ranked(ranker: WordRanker, query: str, limit: int = 10) -> list[str]:
    return [id.rpartition(":")[2] for id in ranker.rank(query, limit)]


def ranker_of(*documents: Document) -> WordRanker:
    ranker = WordRanker()
    ranker.add(documents)
    return ranker


def test_a_name_weighs_more_than_a_label_a_label_more_than_text_and_text_more_than_parameters() -> None:
    ranker = ranker_of(
        document("first", parameters="invoice"),
        document("second", "invoice"),
        document("third", label="invoice"),
        document("fourth_invoice"),
    )

    assert ranked(ranker, "invoice") == ["fourth_invoice", "third", "second", "first"]


def test_rare_words_count_more_than_common_ones() -> None:
    ranker = ranker_of(document("list_refunds"), *(document(f"list_{name}") for name in ("orders", "users", "files")))

    assert ranked(ranker, "list refund")[0] == "list_refunds"


def test_inflected_words_are_found() -> None:
    ranker = ranker_of(document("issue_create", "Creates issues"), document("other"))

    assert ranked(ranker, "creating an issue") == ["issue_create"]


def test_what_has_nothing_to_do_with_the_query_is_no_hit() -> None:
    assert ranked(ranker_of(document("list_orders")), "weather") == []


def test_a_word_that_no_tool_has_counts_as_those_spelt_like_it() -> None:
    ranker = ranker_of(document("shipment_move"), document("sheep_name"), document("moment"))

    assert (ranked(ranker, "shipmnt"), ranked(ranker, "shipment")) == (["shipment_move"], ["shipment_move"])


def test_rare_words_of_a_long_question_do_not_outweigh_what_is_asked() -> None:
    ranker = ranker_of(
        document("weather_forecast", "Weather of a city on a day."),
        document("bakery_search", "Search for bakeries.", parameters="place The place, for example Paris"),
        *(document(f"city_{name}", "Something of a city on a day") for name in ("a", "b", "c", "d", "e", "f")),
    )

    assert ranked(ranker, "Could you tell me the weather in the city of Paris for a day?")[0] == "weather_forecast"


def test_ties_go_by_id_and_the_limit_holds() -> None:
    ranker = ranker_of(*(document(f"same_{letter}", "thing") for letter in "dbca"))

    assert (ranked(ranker, "thing", 3), ranked(ranker, "thing", 0)) == (["same_a", "same_b", "same_c"], [])


def test_adding_and_removing_gives_what_building_anew_gives() -> None:
    documents = [document(f"tool_{index}", f"word{index % 3} common text {index}") for index in range(12)]
    changed = ranker_of(*documents)
    changed.remove([documents[1].id, documents[5].id, "host:core:unknown"])
    changed.add([documents[5], document("tool_2", "another word1 text")])

    fresh = ranker_of(
        *(found for found in documents if found.name not in ("tool_1", "tool_2")),
        document("tool_2", "another word1 text"),
    )
    queries = ["word1", "common text", "another", "tool 2", "word0 word2"]
    assert [ranked(changed, query) for query in queries] == [ranked(fresh, query) for query in queries]


def test_an_empty_index_finds_nothing() -> None:
    assert ranked(WordRanker(), "anything") == []
