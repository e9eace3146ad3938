"""Output types learned from results."""

from __future__ import annotations

import json
from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcell.mcp.declarations import DeclaredTool
from toolcell.mcp.observed import MAX_RESULTS, MAX_STORED_BYTES, MAX_TOOLS, ObservedTypes, merge, shape_of


def typescript(*values: Any) -> str:
    """What a declaration shows after these results."""
    shape = reduce(merge, map(shape_of, values))
    text = DeclaredTool("f", "f", "", None, observed=shape).text
    return " ".join(text.partition("/** observed */ ")[2].removesuffix(">>;").split())


LETTERS = "abcdefghijklmnopqrstuvwxyz"
RESULTS: list[tuple[list[Any], str]] = [
    (["a"], "string"),
    ([1, 2.5], "number"),
    ([True, None], "boolean | null"),
    ([[]], "unknown[]"),
    ([[1, "a"], [None]], "(null | number | string)[]"),
    ([{}], "{}"),
    ([{"id": 1, "name": "x"}, {"id": 2}], "{ id: number; name?: string; }"),
    ([{"items": [{"a": 1}, {"b": 2}]}], "{ items: { a?: number; b?: number; }[]; }"),
    ([{"a": None}, {"a": {"b": 1}}], "{ a: null | { b: number; }; }"),
    ([{"+1": 3}], "{[key: string]: number}"),
    (
        [{"@type": "x", "content-type": "y", "first name": "z"}],
        '{ "@type": string; "content-type": string; "first name": string; }',
    ),
]


@pytest.mark.parametrize(("values", "text"), RESULTS)
def test_results_become_a_type(values: list[Any], text: str) -> None:
    assert typescript(*values) == text


@pytest.mark.parametrize(
    "key",
    [
        "17",
        "2024-01-31",
        "6f1ed002-ab5b-4c2e-8f3a-0d9c1f6d2a11",
        "deadbeef0",
        "someone@example.com",
        "src/main.py",
        "C:\\x",
        "order 20240131",
        "a\nb",
        "",
        "x" * 66,
    ],
)
def test_an_object_whose_keys_are_data_is_a_map(key: str) -> None:
    assert typescript({key: 1, "name": None}) == "{[key: string]: null | number}"
    assert typescript({key: 1}, {"name": None}) == "{[key: string]: null | number}"


def test_an_object_with_many_keys_is_a_map() -> None:
    names = [f"key{letter}{index}" for index in range(5) for letter in "abcdefghi"]

    assert typescript(dict.fromkeys(names, 1)) == "{[key: string]: number}"
    assert typescript(dict.fromkeys(names[:25], 1), dict.fromkeys(names[20:], "x")) == "{[key: string]: number | string}"


def test_below_six_levels_a_type_says_no_more() -> None:
    deep: Any = 1
    for _ in range(10):
        deep = {"a": [deep]}

    assert typescript(deep) == "{ a: { a: { a: {[key: string]: unknown}[]; }[]; }[]; }"


def test_no_value_is_kept() -> None:
    secret = "a secret that nobody may keep"

    types = ObservedTypes()
    types.learn("s", "t", {"structuredContent": {"text": secret, "list": [secret], "17": secret, secret + "@": secret}})

    assert secret not in types.dump().decode()


def test_large_results_are_sampled() -> None:
    wide = [{"id": index} for index in range(60)] + ["the 61st"]
    many = [[[[[0] * 50] * 50] * 50] * 50] * 50

    assert typescript(wide) == "{ id: number; }[]"
    assert typescript(many) == "number[][][][][]"


@pytest.mark.parametrize(
    ("result", "shape"),
    [
        ({"structuredContent": {"a": 1}, "content": [{"type": "text", "text": '["b"]'}]}, shape_of({"a": 1})),
        ({"content": [{"type": "text", "text": ' {"a": 1}'}]}, shape_of({"a": 1})),
        ({"content": [{"type": "text", "text": "17"}]}, None),
        ({"content": [{"type": "text", "text": "{broken"}]}, None),
        ({"content": [{"type": "text", "text": "[" * 100_000}]}, None),
        ({"content": [{"type": "text", "text": "[1]"}, {"type": "text", "text": "[1]"}]}, None),
        ({"content": [{"type": "image"}]}, None),
        ({"content": "text"}, None),
        ({"structuredContent": {"a": 1}, "isError": True}, None),
        ({}, None),
    ],
)
def test_it_learns_from_structured_content_else_from_one_text_of_json(result: dict[str, Any], shape: Any) -> None:
    types = ObservedTypes()

    assert types.learn("s", "t", result) == (shape is not None)
    assert types.shape("s", "t") == shape


def test_it_says_whether_it_learned_something_new_of_that_tool() -> None:
    types = ObservedTypes()
    results = [{"structuredContent": value} for value in ({"a": 1}, {"a": 2}, {"a": "x"}, {"a": 3})]

    assert [types.learn("s", "t", result) for result in results] == [True, False, True, False]
    assert types.learn("s", "other", results[0])
    assert types.shape("s", "other") == shape_of({"a": 1})


def test_what_is_remembered_is_bounded() -> None:
    types = ObservedTypes()
    halves = [{f"{half}{a}": {f"k{b}": dict.fromkeys(LETTERS, 1) for b in LETTERS[:20]} for a in "abc"} for half in "xy"]

    learned = [types.learn("s", str(index), {"structuredContent": {}}) for index in range(MAX_TOOLS + 1)]
    growing = [types.learn("s", "0", {"structuredContent": half}) for half in halves]

    assert learned == [True] * MAX_TOOLS + [False]
    assert growing == [True, False]


def test_after_many_results_a_tool_teaches_nothing_more() -> None:
    types = ObservedTypes()
    for _ in range(MAX_RESULTS):
        types.learn("s", "t", {"structuredContent": {}})

    assert not types.learn("s", "t", {"structuredContent": {"a": 1}})
    assert types.shape("s", "t") == shape_of({})


def test_what_was_learned_can_be_stored() -> None:
    types, again = ObservedTypes(), ObservedTypes()
    types.learn("s", "t", {"structuredContent": {"a": [{"17": None}], "b": {"c": 1}}})
    again.learn("s", "t", {"structuredContent": {"b": {}}})

    again.load(types.dump())

    assert again.shape("s", "t") == merge(shape_of({"a": [{"17": None}], "b": {"c": 1}}), shape_of({"b": {}}))


def nested(levels: int) -> dict[str, Any]:
    return {"type": ["array"], "items": nested(levels - 1) if levels else {}}


GOOD = shape_of({"a": [1]})
BAD: list[Any] = [
    None,
    [],
    {"$ref": "#"},
    {"type": "string"},
    {"type": ["nope"]},
    {"type": ["string", "null"]},
    {"type": ["string", "string"]},
    {"type": [{}]},
    {"type": ["string"], "description": "*/"},
    {"type": ["array"]},
    {"type": ["object"], "additionalProperties": True},
    {**GOOD, "required": ["b"]},
    {**GOOD, "required": 5},
    {**GOOD, "properties": []},
    {**GOOD, "properties": {"*/": {}}},
    {**GOOD, "properties": {f"k{'x' * index}": {} for index in range(41)}},
    {**GOOD, "additionalProperties": {}},
    nested(7),
]


@pytest.mark.parametrize("shape", BAD)
def test_a_stored_shape_that_nobody_dumped_is_refused(shape: Any) -> None:
    types = ObservedTypes()

    with pytest.raises(ValueError, match="observed type"):
        types.load(json.dumps({"version": 1, "tools": [["s", "t", GOOD], ["s", "u", shape]]}).encode())

    assert types.shape("s", "t") is None


@pytest.mark.parametrize(
    "stored",
    [b"", b"\xff", b"[]", b"5", b'{"version": 2, "tools": []}', b'{"version": 1}', b"[" * 100_000, b" " * (MAX_STORED_BYTES + 1),
     b'{"version": 1, "tools": [["s", "t"]]}', b'{"version": 1, "tools": [[1, "t", {}]]}'],
)  # fmt: skip
def test_stored_bytes_that_nobody_dumped_are_refused(stored: bytes) -> None:
    with pytest.raises(ValueError, match="observed type"):
        ObservedTypes().load(stored)


KEYS = st.sampled_from(["a", "b", "17", "name", "x@y"]) | st.text(max_size=4)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=50),
    max_leaves=40,
)


@given(a=values, b=values, c=values)
def test_merging_does_not_depend_on_order_or_repetition(a: Any, b: Any, c: Any) -> None:
    x, y, z = map(shape_of, (a, b, c))

    assert merge(x, x) == x
    assert json.dumps(merge(x, y)) == json.dumps(merge(y, x))
    assert json.dumps(merge(merge(x, y), z)) == json.dumps(merge(x, merge(y, z)))
    assert merge(merge(x, y), y) == merge(x, y)


@given(a=values, b=values)
def test_whatever_was_learned_can_be_stored(a: Any, b: Any) -> None:
    types, again = ObservedTypes(), ObservedTypes()
    for value in (a, b):
        types.learn("s", "t", {"structuredContent": value})

    again.load(types.dump())

    assert again.dump() == types.dump()
