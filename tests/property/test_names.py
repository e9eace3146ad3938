"""Names of arbitrary catalogs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toolcell.catalog.names import RESERVED_GLOBALS, RESERVED_MEMBERS, bare_names, safe_names, to_identifier

names = (
    st.text("abAB_$-. 1é東", min_size=1, max_size=4)
    | st.sampled_from(["delete", "Map", "search", "x-y", "x_y", "x.y"])
    | st.text(min_size=1)
)
catalogs = st.lists(st.tuples(st.sampled_from(["a", "b"]), names), unique=True, max_size=12)


def rows(catalog: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(f"host:{owner}:{name}", name) for owner, name in catalog]


@given(name=names)
def test_an_identifier_has_the_length_of_the_name_and_is_its_own_identifier(name: str) -> None:
    identifier = to_identifier(name)

    assert len(identifier) == len(name)
    assert to_identifier(identifier) == identifier


@given(catalog=catalogs)
def test_every_tool_has_a_bare_name_of_its_own_that_is_not_reserved(catalog: list[tuple[str, str]]) -> None:
    found = bare_names(rows(catalog))

    assert len(set(found)) == len(found) == len(catalog)
    assert RESERVED_GLOBALS.isdisjoint(found)
    assert all(to_identifier(name) == name for name in found)
    assert bare_names(rows(catalog)) == found


@given(catalog=catalogs)
def test_safe_names_are_different_and_never_those_of_the_api(catalog: list[tuple[str, str]]) -> None:
    found = [name for name in safe_names([name for _, name in catalog]) if name is not None]

    assert len(set(found)) == len(found)
    assert RESERVED_MEMBERS.isdisjoint(found)


@given(catalog=catalogs)
def test_a_tool_with_an_exact_unique_spelling_keeps_it(catalog: list[tuple[str, str]]) -> None:
    spelled = [name for _, name in catalog]
    found = bare_names(rows(catalog))

    for name, bare in zip(spelled, found, strict=True):
        if to_identifier(name) == name and spelled.count(name) == 1 and name not in RESERVED_GLOBALS:
            assert bare == name
