"""Hints of arbitrary JSON Schemas."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from support.schemas import json_values, recursive_schemas, schemas
from toolcell.catalog.hints import render_hint


@given(
    schema=schemas | recursive_schemas | json_values,
    max_chars=st.integers(7, 900),
    max_depth=st.integers(1, 8),
    max_properties=st.integers(1, 20),
)
def test_any_schema_gives_one_line_within_the_limit(schema: Any, max_chars: int, max_depth: int, max_properties: int) -> None:
    hint = render_hint(schema, max_chars=max_chars, max_depth=max_depth, max_properties=max_properties)

    assert 0 < len(hint.text) <= max_chars
    assert hint.text.isprintable()
    assert render_hint(schema, max_chars=max_chars, max_depth=max_depth, max_properties=max_properties) == hint
