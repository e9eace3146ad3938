"""JSON Schema as TypeScript."""

from __future__ import annotations

from typing import Any

import pytest

from toolcell.catalog.hints import UNKNOWN, Hint, render_hint


def hint(schema: Any, *, max_chars: int = 850, max_depth: int = 6, max_properties: int = 20) -> Hint:
    return render_hint(schema, max_chars=max_chars, max_depth=max_depth, max_properties=max_properties)


def closed(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
        **more,
    }


STRING = {"type": "string"}
NUMBER = {"type": "number"}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (STRING, "string"),
        ({"type": "integer", "minimum": 1}, "number"),
        ({"type": "boolean"}, "boolean"),
        ({"type": "null"}, "null"),
        ({"type": ["string", "null"]}, "string | null"),
        ({"type": "string", "nullable": True}, "string | null"),
        ({"enum": ["a", 'q"', 1, None, True]}, '"a" | "q\\"" | 1 | null | true'),
        ({"const": "on"}, '"on"'),
        ({"type": "string", "enum": ["a"]}, '"a"'),
        ({"type": "array", "items": STRING}, "string[]"),
        ({"type": "array", "items": {"type": ["string", "null"]}}, "(string | null)[]"),
        ({"type": "array", "items": {"enum": ["a | b"]}}, '"a | b"[]'),
        ({"type": "array", "prefixItems": [STRING, NUMBER], "items": False}, "[string, number]"),
        ({"type": "array", "prefixItems": [STRING], "maxItems": 1, "minItems": 1}, "[string]"),
        ({"type": "array", "prefixItems": [STRING], "items": NUMBER}, "[string, ...number[]]"),
        ({"type": "array", "items": [STRING, NUMBER], "additionalItems": False}, "[string, number]"),
        ({"anyOf": [STRING, NUMBER, STRING]}, "string | number"),
        ({"oneOf": [STRING, {"type": "null"}]}, "string | null"),
        ({"allOf": [closed({"a": STRING}), closed({"b": STRING}, "b")]}, "{a?: string} & {b: string}"),
        ({"allOf": [{"anyOf": [STRING, NUMBER]}, NUMBER]}, "(string | number) & number"),
        ({"allOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": STRING}, "default": "x"}, "string"),
        (closed({}), "{}"),
        (
            {"type": "object", "patternProperties": {"^x": STRING}, "additionalProperties": False},
            "{[key: string]: string}",
        ),
        (closed({"a": STRING, "b-c": NUMBER, "d": False}, "a"), '{a: string; "b-c"?: number; d?: never}'),
        ({"$ref": "#/$defs/A", "$defs": {"A": NUMBER}}, "number"),
        ({"$ref": "#/definitions/A~1b%20c", "definitions": {"A/b c": NUMBER}}, "number"),
        (
            {
                "$ref": "#/$defs/Tree",
                "$defs": {"Tree": closed({"next": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}})},
            },
            "{next?: Tree[]}",
        ),
        (closed({"self": {"$ref": "#"}}), "{self?: Self}"),
        (
            closed({"a": {"anyOf": [STRING, NUMBER]}, "b": {"$ref": "#/properties/a/anyOf/1"}}),
            "{a?: string | number; b?: number}",
        ),
        ({"enum": ["查询", "\u202e"]}, '"查询" | "\\u202e"'),
    ],
)
def test_what_is_said_whole_is_complete(schema: Any, text: str) -> None:
    assert hint(schema) == Hint(text, complete=True)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "object"}, "{[key: string]: unknown}"),
        ({"type": "object", "additionalProperties": NUMBER}, "{[key: string]: number}"),
        ({"type": "object", "properties": {"a": STRING}}, "{a?: string}"),
        (
            {"type": "object", "properties": {"a": STRING}, "additionalProperties": NUMBER},
            "{a?: string; [key: string]: number}",
        ),
        ({"properties": {"a": STRING}}, "{a?: string}"),
        (closed({"a": {}}), "{a?: unknown}"),
        (closed({"a": {"anyOf": [STRING, {}]}}), "{a?: unknown}"),
        (closed({"a": STRING}, **{"if": {}, "then": {}}), "{a?: string}"),
        ({"$ref": "https://example.com/schema"}, "unknown"),
        ({"$ref": "#/$defs/missing"}, "unknown"),
        ({"$ref": "#/anyOf/1", "anyOf": [STRING]}, "string"),
    ],
)
def test_open_objects_and_unknown_parts_are_not_complete(schema: Any, text: str) -> None:
    assert hint(schema) == Hint(text, complete=False)


UNREADABLE: list[Any] = [None, True, 5, "string", [], {}, {"type": "nope"}, {"type": 5}, {"type": [5, {}]}, {"anyOf": 3}]
MALFORMED: list[Any] = [
    {"type": "object", "properties": [1]},
    {"type": "object", "properties": {"a": 5}, "required": "a"},
    {"type": "array", "items": 7},
    {"enum": [[1], {"a": 1}, float("nan")]},
    {"type": "array", "prefixItems": [None]},
    {"allOf": [5], "oneOf": [[]]},
    {"$ref": 5},
    {"$ref": "#/"},
]


@pytest.mark.parametrize("schema", UNREADABLE)
def test_an_unreadable_schema_is_unknown(schema: Any) -> None:
    assert hint(schema) == UNKNOWN


@pytest.mark.parametrize("schema", MALFORMED)
def test_a_malformed_schema_never_raises(schema: Any) -> None:
    assert hint(schema).complete is False


def test_deep_objects_are_left_out_below_the_given_depth() -> None:
    schema: dict[str, Any] = STRING
    for _ in range(4):
        schema = closed({"a": schema})

    assert [hint(schema, max_depth=depth) for depth in (4, 2)] == [
        Hint("{a?: {a?: {a?: {a?: string}}}}", complete=True),
        Hint("{a?: {a?: {...}}}", complete=False),
    ]


def test_properties_beyond_the_given_number_are_left_out() -> None:
    schema = closed(dict.fromkeys("abcd", STRING))

    assert hint(schema, max_properties=2) == Hint("{a?: string; b?: string; ...}", complete=False)


def test_a_hint_that_is_too_long_loses_depth_then_properties() -> None:
    schema = closed({f"key{index}": closed({"a": STRING, "b": STRING}) for index in range(4)})

    hints = [hint(schema, max_chars=limit) for limit in (200, 80, 50, 20, 5)]

    assert [found.text for found in hints] == [
        "{" + "; ".join(f"key{index}?: {{a?: string; b?: string}}" for index in range(4)) + "}",
        "{key0?: {...}; key1?: {...}; key2?: {...}; key3?: {...}}",
        "{key0?: {...}; key1?: {...}; ...}",
        "{key0?: {...}; ...}",
        "unknown",
    ]


def test_a_schema_that_contains_itself_or_grows_without_end_is_cut() -> None:
    cyclic: dict[str, Any] = {"type": "array"}
    cyclic["items"] = cyclic
    doubling: dict[str, Any] = {f"D{level}": {"anyOf": [{"$ref": f"#/$defs/D{level + 1}"}] * 9} for level in range(39)}

    assert hint(cyclic).complete is False
    assert hint({"$ref": "#/$defs/D0", "$defs": doubling}) == UNKNOWN


def test_a_hint_is_one_line_whatever_the_names() -> None:
    schema = closed({"a\nb": {"enum": ["x\u2028y", "*/"]}})

    assert hint(schema).text == '{"a\\nb"?: "x\\u2028y" | "*/"}'
