"""Hints of arbitrary JSON Schemas."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from toolcell.catalog.hints import render_hint

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)

KEYWORDS = [
    "type",
    "properties",
    "required",
    "items",
    "prefixItems",
    "additionalItems",
    "additionalProperties",
    "patternProperties",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "$defs",
    "definitions",
    "nullable",
    "maxItems",
    "if",
    "then",
    "else",
    "format",
    "default",
    "description",
    "minimum",
]
TYPES = ["string", "number", "integer", "boolean", "null", "array", "object", "any"]
REFERENCES = ["#", "#/", "#/$defs/a", "#/definitions/a", "#/properties/a", "#/$defs/a/items", "http://x", "a"]


def keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    named = st.dictionaries(st.sampled_from(["a", "b-c", "__proto__", ""]), inner, max_size=3)
    value = st.one_of(
        inner,
        named,
        st.lists(inner, max_size=3),
        st.sampled_from(TYPES),
        st.sampled_from(REFERENCES),
        st.lists(st.sampled_from(TYPES)),
        json_values,
    )
    return st.dictionaries(st.sampled_from(KEYWORDS), value, max_size=5)


schemas = st.recursive(st.booleans() | keywords(json_values), keywords, max_leaves=16)


@given(
    schema=schemas | json_values,
    max_chars=st.integers(7, 900),
    max_depth=st.integers(1, 8),
    max_properties=st.integers(1, 20),
)
def test_any_schema_gives_one_line_within_the_limit(schema: Any, max_chars: int, max_depth: int, max_properties: int) -> None:
    hint = render_hint(schema, max_chars=max_chars, max_depth=max_depth, max_properties=max_properties)

    assert 0 < len(hint.text) <= max_chars
    assert hint.text.isprintable()
    assert render_hint(schema, max_chars=max_chars, max_depth=max_depth, max_properties=max_properties) == hint
