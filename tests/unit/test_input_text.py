"""What a schema says in words."""

from __future__ import annotations

from typing import Any

import pytest

from toolcell.catalog.input_text import MAX_CHARS, MAX_PARTS, input_text


def test_names_descriptions_and_values_are_read_from_the_root_downwards() -> None:
    schema = {
        "description": "All of it.",
        "properties": {
            "where": {
                "description": "Which place.",
                "properties": {"unit": {"type": "string", "enum": ["metre", "foot", 10**5000, None]}},
            },
            "names": {"type": "array", "items": {"description": "One name."}},
            "how": {"anyOf": [{"$ref": "#/$defs/Mode"}, {"type": "null"}]},
        },
        "$defs": {"Mode": {"enum": ["fast", "safe"], "title": "Mode"}},
    }

    assert input_text(schema) == "where names how Which place. unit fast safe metre foot One name."


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"properties": ["a"], "items": True, "anyOf": {"a": 1}, "enum": "abc", "$defs": None, "description": "x"},
        {"properties": {"": True}, "allOf": [None, 1, "x", ()]},
    ],
)
def test_whatever_is_no_schema_is_passed_over(schema: dict[str, Any]) -> None:
    assert input_text(schema).strip() == ""


def test_no_more_is_read_than_is_allowed() -> None:
    wide = {"properties": {f"p{index}": {"description": "x" * 1_000_000, "enum": ["y" * 1_000_000]} for index in range(300)}}
    endless: dict[str, Any] = {"properties": {"again": {}}}
    endless["properties"]["again"] = endless
    many = {"properties": {str(index): {"description": "d"} for index in range(600)}}

    assert input_text(many).split()[600:] == ["d"] * (MAX_PARTS - 1)
    assert (len(input_text(wide)), input_text(endless).split()) == (MAX_CHARS, ["again"] * MAX_PARTS)
