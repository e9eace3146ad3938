"""Names under which a cell reaches a tool."""

from __future__ import annotations

import hashlib

import pytest

from toolcell.catalog.names import bare_names, safe_names, to_identifier


def suffix(id: str, digits: int = 8) -> str:
    return hashlib.sha256(id.encode()).hexdigest()[:digits]


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("list_issues", "list_issues"),
        ("$raw", "$raw"),
        ("größe", "größe"),
        ("list-issues", "list_issues"),
        ("github/list.issues", "github_list_issues"),
        ("2fa_send", "_fa_send"),
        ("a b😀", "a_b_"),
        ("-", "_"),
    ],
)
def test_identifiers_keep_their_spelling_and_foreign_characters_become_underscores(name: str, identifier: str) -> None:
    assert to_identifier(name) == identifier


def test_two_tools_that_map_to_one_name_get_no_safe_name() -> None:
    assert safe_names(["a-b", "a_b", "c"]) == [None, None, "c"]


@pytest.mark.parametrize("name", ["search", "describe", "call", "callValue", "then", "__proto__", "constructor"])
def test_names_of_the_api_never_become_members(name: str) -> None:
    assert safe_names([name]) == [None]


def test_keywords_may_be_members() -> None:
    assert safe_names(["delete", "new"]) == ["delete", "new"]


@pytest.mark.parametrize(
    "name", ["delete", "await", "Map", "JSON", "undefined", "text", "tools", "setTimeout", "require", "store"]
)
def test_keywords_globals_and_the_api_keep_their_bare_names(name: str) -> None:
    id = f"host:core:{name}"

    assert bare_names([(id, name)]) == [f"{name}_{suffix(id)}"]


@pytest.mark.parametrize("name", ["exec", "fetch", "search", "get", "async"])
def test_other_names_are_free(name: str) -> None:
    assert bare_names([(f"host:core:{name}", name)]) == [name]


def test_an_exact_spelling_keeps_the_name_then_order_decides() -> None:
    rows = [
        ("host:a:x-y", "x-y"),
        ("host:b:x_y", "x_y"),
        ("host:c:x_y", "x_y"),
        ("host:d:p.q", "p.q"),
        ("host:e:p q", "p q"),
    ]

    assert bare_names(rows) == [
        "x_y_" + suffix("host:a:x-y"),
        "x_y",
        "x_y_" + suffix("host:c:x_y"),
        "p_q",
        "p_q_" + suffix("host:e:p q"),
    ]


def test_a_suffix_grows_where_its_name_is_taken() -> None:
    taken = f"x_{suffix('host:b:x')}"

    names = bare_names([("host:a:x", "x"), ("host:b:x", "x"), ("host:c:y", taken)])

    assert names == ["x", f"x_{suffix('host:b:x', 9)}", taken]
