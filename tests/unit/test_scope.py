"""Scopes."""

from __future__ import annotations

import pytest

from toolcell import Scope


def test_equal_complete_scopes_own_each_others_cells() -> None:
    assert Scope("a", "s", "k", "r").owns(Scope("a", "s", "k", "r").digest)


@pytest.mark.parametrize("other", [Scope("b", "s", "k", "r"), Scope("a", "t", "k", "r"), Scope("a", "s", "k", "q"), Scope()])
def test_another_scope_owns_nothing_of_it(other: Scope) -> None:
    assert not other.owns(Scope("a", "s", "k", "r").digest)


@pytest.mark.parametrize("missing", range(4))
def test_a_partial_scope_does_not_even_own_itself(missing: int) -> None:
    parts: list[str | None] = ["a", "s", "k", "r"]
    parts[missing] = None
    scope = Scope(*parts)

    assert (scope.complete, scope.owns(scope.digest)) == (False, False)


def test_parts_can_not_be_shifted_into_each_other() -> None:
    assert Scope("ab", "c", "k", "r").digest != Scope("a", "bc", "k", "r").digest


def test_unique_scopes_are_complete_and_differ() -> None:
    one, two = Scope.unique(), Scope.unique()

    assert (one.complete, one == two) == (True, False)
