"""JSON Schemas of all kinds, broken ones too, for property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

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

REFERRED = [{"$ref": f"#/$defs/{name}"} for name in ("a", "b", "c", "a/anyOf/0", "b/properties/x")] + [{"$ref": "#"}]


def referring(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(st.sampled_from(["x", "y", "class"]), inner, min_size=1, max_size=3)
    array, object = {"type": st.just("array")}, {"type": st.just("object")}
    kinds = [
        {**object, "properties": named},
        {**object, "additionalProperties": inner},
        {**array, "items": inner},
        {**array, "prefixItems": some},
        *({key: some} for key in ("anyOf", "oneOf", "allOf")),
    ]
    return st.one_of([st.fixed_dictionaries(kind) for kind in kinds])


definitions = st.recursive(st.sampled_from([*REFERRED, {"type": "string"}, {"enum": ["a", "b"]}]), referring, max_leaves=6)
recursive_schemas: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {
        "type": st.just("object"),
        "properties": st.dictionaries(st.sampled_from("xyz"), definitions, max_size=3),
        "$defs": st.fixed_dictionaries(dict.fromkeys("abc", definitions)),
    },
    optional={"anyOf": st.lists(definitions, min_size=1, max_size=2)},
)
"""Documents whose definitions refer to each other, in circles too."""
