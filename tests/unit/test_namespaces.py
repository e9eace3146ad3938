"""Namespaces of the host, as workers take them."""

from __future__ import annotations

import pytest

from support.runs import add, upper
from toolcell.catalog import Catalog
from toolcell.catalog.namespaces import namespace_rows
from toolcell.errors import ConfigError

EVERY = Catalog([add, upper])


def test_a_function_calls_the_tool_with_the_id_or_name() -> None:
    rows = namespace_rows(
        {"sums": {"plus": "add", "sum": "host:core:add"}, "texts": {"upper": "upper"}, "empty": {}}, EVERY, EVERY
    )

    assert rows == [
        (False, "sums", "sums", True, [(None, "plus", None, "host:core:add"), (None, "sum", None, "host:core:add")]),
        (False, "texts", "texts", True, [(None, "upper", None, "host:core:upper")]),
        (False, "empty", "empty", True, []),
    ]


def test_a_function_whose_tool_the_run_may_not_see_is_left_out() -> None:
    [row] = namespace_rows({"all": {"plus": "add", "upper": "upper"}}, Catalog([upper]), EVERY)

    assert row[4] == [(None, "upper", None, "host:core:upper")]


@pytest.mark.parametrize("name", ["", "MCP", "two words", "a-b", "1st", "then", "__proto__", "constructor"])
def test_a_namespace_has_an_identifier_of_its_own(name: str) -> None:
    with pytest.raises(ConfigError) as refused:
        namespace_rows({name: {"plus": "add"}}, EVERY, EVERY)

    assert (refused.value.field, refused.value.value) == (f"namespaces.{name}", name)
    assert refused.value.message.startswith(f"namespace {name!r}: give an identifier")


@pytest.mark.parametrize("function", ["", "a-b", "then", "toJSON"])
def test_a_function_has_an_identifier_too(function: str) -> None:
    with pytest.raises(ConfigError, match=rf"^namespace sums: function {function!r}: give an identifier"):
        namespace_rows({"sums": {function: "add"}}, EVERY, EVERY)


def test_a_tool_that_is_not_there_is_named_with_what_is_like_it() -> None:
    with pytest.raises(ConfigError, match=r"^namespace sums\.plus: unknown tool 'ad'; did you mean add\?$"):
        namespace_rows({"sums": {"plus": "ad"}}, EVERY, EVERY)
