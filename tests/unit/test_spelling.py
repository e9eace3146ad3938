"""Words that are spelt alike."""

from __future__ import annotations

import pytest

from toolcell.catalog.spelling import Spelling


def spelling_of(*words: str) -> Spelling:
    spelling = Spelling()
    for word in words:
        spelling.add(word)
    return spelling


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("shipmnt", ["shipment"]),
        ("filesystem", ["filesys", "system"]),
        ("invoices", ["invoice"]),
        ("weather", []),
        ("a", []),
        ("", []),
    ],
)
def test_words_with_enough_letter_groups_in_common_are_alike(word: str, found: list[str]) -> None:
    spelling = spelling_of("shipment", "system", "filesys", "invoice")

    assert [other for other, _ in spelling.like(word, 8)] == found


def test_likeness_is_the_share_of_letter_groups_in_common() -> None:
    assert spelling_of("abcd").like("abcde", 8) == [("abcd", 2 * 2 / (3 + 4))]


def test_the_most_alike_come_first_ties_by_alphabet_and_no_more_than_asked_for() -> None:
    spelling = spelling_of("invoicez", "invoicea", "invoiceabc")

    assert [word for word, _ in spelling.like("invoice", 2)] == ["invoicea", "invoicez"]


def test_a_number_is_like_no_other() -> None:
    assert spelling_of("12345").like("123456", 8) == []


def test_removed_words_leave_nothing_behind() -> None:
    spelling = spelling_of("shipment", "ship")
    spelling.remove("shipment")

    assert (spelling.like("shipments", 8), vars(spelling)) == ([], vars(spelling_of("ship")))
