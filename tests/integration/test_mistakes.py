"""What models do wrong: they are told why, what they are told is in docs/errors.md, and the corrected cell runs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from support import mistakes

MISTAKES = {mistake.title: mistake for mistake in mistakes.load_mistakes()}


@pytest.fixture(scope="module")
def results() -> dict[str, tuple[Any, Any]]:
    return asyncio.run(mistakes.run_all(list(MISTAKES.values())))


def test_the_table_has_forty_mistakes_and_more() -> None:
    assert len(MISTAKES) == len(mistakes.load_mistakes()) >= 40


@pytest.mark.parametrize("title", MISTAKES)
def test_the_wrong_cell_is_told_why(results: dict[str, tuple[Any, Any]], title: str) -> None:
    wrong, _ = results[title]

    assert (wrong.status, bool(wrong.warnings)) in {("failed", False), ("completed", True)}


@pytest.mark.parametrize("title", MISTAKES)
def test_the_corrected_cell_completes_and_is_told_nothing(results: dict[str, tuple[Any, Any]], title: str) -> None:
    _, right = results[title]

    assert (right.status, right.error, right.warnings) == ("completed", None, None)
    assert right.value is not None or right.output


def test_the_page_says_what_the_model_is_told(results: dict[str, tuple[Any, Any]]) -> None:
    table = mistakes.table((mistake, results[title][0]) for title, mistake in MISTAKES.items())
    page = mistakes.PAGE.read_text(encoding="utf-8")

    assert page == mistakes.with_table(page, table), "run: python tests/support/mistakes.py"
