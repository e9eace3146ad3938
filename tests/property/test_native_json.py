"""Laws of the translation between Python values and JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcell._native import decode_json, encode_json

texts = st.text(st.characters(exclude_categories=["Cs"]))
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=30)


def encode(value: object) -> bytes:
    return encode_json(value, max_depth=512, max_bytes=1 << 20)


def spelled(value: object) -> str:
    """JSON text of a value, in which 1, 1.0 and True differ and zeros of either sign don't."""
    return json.dumps(value).replace("-0.0", "0.0")


@given(values)
def test_what_is_encoded_decodes_to_an_equal_value_of_the_same_kinds(value: Any) -> None:
    decoded = decode_json(encode(value))

    assert spelled(decoded) == spelled(value)


@given(values)
def test_the_standard_library_reads_what_is_encoded(value: Any) -> None:
    assert json.loads(encode(value)) == value


@given(values)
def test_what_the_standard_library_writes_is_decoded(value: Any) -> None:
    assert decode_json(json.dumps(value).encode()) == value


@given(st.binary(max_size=60) | st.text(alphabet='[]{}",:0123456789.eE+-truefalsn\\u ', max_size=60).map(str.encode))
def test_any_bytes_decode_as_the_standard_library_does_or_are_refused(data: bytes) -> None:
    try:
        decoded = decode_json(data)
    except ValueError:
        return

    assert decoded == json.loads(data)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_stays_a_float_of_the_same_value(value: float) -> None:
    decoded = decode_json(encode(value))

    assert (type(decoded), decoded) == (float, value)


@pytest.mark.parametrize("depth", [10, 511])
def test_the_depth_that_is_allowed_is_reached(depth: int) -> None:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}

    assert encode_json(value, max_depth=depth, max_bytes=1 << 20) == b'{"a":' * depth + b"1" + b"}" * depth
