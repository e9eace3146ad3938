"""Parameter text out of docstrings."""

from __future__ import annotations

import pytest

from toolcell.catalog.docstring import Docstring, parse_docstring

GOOGLE = """List shipments.

    Newest first.

    Args:
        unpaid (bool): Only those
            not yet paid.
        limit: How many: at most 50.

    Returns:
        Shipments: all of them.
    """

NUMPY = """
    List shipments.

    Newest first.

    Parameters
    ----------
    unpaid : bool, optional
        Only those
        not yet paid.
    limit : int
        How many: at most 50.

    Returns
    -------
    list
        Shipments.
    """

REST = """List shipments.

    Newest first.

    :param bool unpaid: Only those
        not yet paid.
    :param limit: How many: at most 50.
    :returns: Shipments.
    """


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, REST], ids=["google", "numpy", "rest"])
def test_all_three_styles_give_the_same(text: str) -> None:
    assert parse_docstring(text) == Docstring(
        "List shipments.\n\nNewest first.", {"unpaid": "Only those not yet paid.", "limit": "How many: at most 50."}
    )


@pytest.mark.parametrize("text", [None, "", "   \n  "])
def test_no_docstring_is_no_text(text: str | None) -> None:
    assert parse_docstring(text) == Docstring()


def test_text_in_no_known_style_stays_whole() -> None:
    text = "Note the colon:\n- one\n- two: three"

    assert parse_docstring(text) == Docstring(text)


def test_parameters_may_share_an_entry() -> None:
    assert parse_docstring("Add.\n\nArgs:\n    a, b: Terms.").parameters == {"a": "Terms.", "b": "Terms."}
