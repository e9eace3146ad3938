"""Words that search compares."""

from __future__ import annotations

import pytest

from toolcell.catalog.words import words


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("list_pull-requests", ["list", "pull", "request"]),
        ("getUserById", ["get", "user", "id"]),
        ("parseHTTPResponse", ["pars", "http", "respons"]),
        ("s3Bucket2", ["s", "3", "bucket", "2"]),
        ("Deleting the issues of a repository", ["delet", "issu", "repositori"]),
        ("größe 東京", ["grösse", "東京"]),
        ("the of a", []),
        ("", []),
    ],
)
def test_text_is_split_at_case_punctuation_and_digits_and_stemmed(text: str, stems: list[str]) -> None:
    assert words(text) == stems
