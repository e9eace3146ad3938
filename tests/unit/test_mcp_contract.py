"""Checks of input against schemas of strangers."""

from __future__ import annotations

from typing import Any

import pytest

from toolcell.catalog.contract import MismatchError
from toolcell.mcp.contract import RemoteContract, depth, measure

TREE = {
    "$ref": "#/$defs/tree",
    "$defs": {
        "tree": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "inner": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
        }
    },
}
TEXTS = {
    "$ref": "#/definitions/texts",
    "definitions": {
        "texts": {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"$ref": "#/definitions/texts"}},
                {"type": "object", "additionalProperties": {"$ref": "#/definitions/texts"}},
            ]
        }
    },
}


def doubling(keyword: str, length: int) -> dict[str, Any]:
    """Definitions that each use the next one twice."""
    definitions: dict[str, Any] = {f"d{number}": {keyword: [{"$ref": f"#/$defs/d{number + 1}"}] * 2} for number in range(length)}
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{length}": {"type": "string"}}}


def doubling_inside(length: int) -> dict[str, Any]:
    """Definitions that each use the next one twice for the value inside."""
    definitions: dict[str, Any] = {
        f"d{number}": {"properties": {"a": {"allOf": [{"$ref": f"#/$defs/d{number + 1}"}] * 2}}} for number in range(length)
    }
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{length}": {"type": "string"}}}


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"name": 5}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "object", "required": ["a"]}, {}),
        ({"properties": {"a": {"pattern": "^x+$"}}}, {"a": "y"}),
        (TREE, nested(0)),
        (TREE, {"inner": [{"inner": [{"inner": [{"name": 5}]}]}]}),
        (TEXTS, {"a": [{"b": [5]}]}),
        (doubling("allOf", 5), {}),
    ],
)
def test_what_does_not_fit_is_refused(schema: dict[str, Any], value: Any) -> None:
    with pytest.raises(MismatchError):
        RemoteContract(schema).accept(value)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (doubling("allOf", 60), {}),
        (doubling("anyOf", 60), {}),
        (doubling("oneOf", 60), {}),
        (doubling_inside(60), nested(60)),
        ({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}, {}),
        ({"properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}}, nested(40)),
        ({"items": {"allOf": [{"type": "string"}] * 2_000}}, [5] * 3_000),
        ({"items": {"enum": ["a", "b"] * 2_000}}, [5] * 3_000),
        ({"allOf": [{"maxLength": 5}] * 2_000}, "a" * 1_000_000),
        ({"pattern": "^b"}, "a" * 6_000_000),
        ({"patternProperties": {f"(a*)*{number}$": {"type": "string"} for number in range(500)}}, {"a" * 30: 1}),
    ],
)
def test_what_would_take_too_long_is_left_to_the_server(schema: dict[str, Any], value: Any) -> None:
    assert RemoteContract(schema).accept(value) is value


@pytest.mark.parametrize("pattern", [r"(a*)*\1$", "^(?=(a+)+$)", "((a{1,300}){1,300}){1,300}"])
def test_a_pattern_without_a_bound_makes_a_schema_that_cannot_be_used(pattern: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        RemoteContract({"properties": {"a": {"pattern": pattern}}}).accept({"a": "a" * 30})


@pytest.mark.parametrize("schema", [{}, {"$ref": "#/a/b"}, {"properties": None, "allOf": {}, "items": [True]}])
def test_any_document_can_be_measured(schema: dict[str, Any]) -> None:
    assert measure(schema).steps < 10


def test_depth_counts_objects_and_arrays_in_one_another() -> None:
    values: list[Any] = [5, {}, {"a": 1}, {"a": []}, {"a": [1]}, nested(3)]

    assert [depth(value) for value in values] == [0, 0, 1, 1, 2, 4]
