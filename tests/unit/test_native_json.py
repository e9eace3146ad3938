"""Values between Python and JSON, as the native module translates them."""

from __future__ import annotations

import math
import re
import sys
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from pydantic import BaseModel, model_serializer

from toolcell._native import decode_json, encode_json

LARGEST_INTEGER_DIGITS = 315_653


def encode(value: object, *, max_depth: int = 512, max_bytes: int = 1 << 20) -> str:
    return encode_json(value, max_depth=max_depth, max_bytes=max_bytes).decode()


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Plain(Enum):
    FIRST = "first"


class Point(NamedTuple):
    x: int
    y: int


@dataclass
class Item:
    id: int


class Model(BaseModel):
    when: datetime


class Text(str):
    pass


class Number(float):
    pass


@pytest.fixture
def unlimited_digits() -> Iterator[None]:
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    yield
    sys.set_int_max_str_digits(limit)


PLAIN: list[tuple[object, str]] = [
    (None, "null"),
    (True, "true"),
    (False, "false"),
    (-7, "-7"),
    (2**63, "9223372036854775808"),
    (63.0, "63.0"),
    (1e300, "1e300"),
    (-0.0, "0.0"),
    (math.nan, "null"),
    (-math.inf, "null"),
    ('é\u2028\n"\\\x01', '"é\u2028\\n\\"\\\\\\u0001"'),
    ([1, (2, [])], "[1,[2,[]]]"),
    ({"b": {}, "a": 1}, '{"b":{},"a":1}'),
]


@pytest.mark.parametrize(("value", "expected"), PLAIN)
def test_plain_values_have_one_spelling(value: object, expected: str) -> None:
    assert encode(value) == expected


OTHER: list[tuple[object, str]] = [
    (Colour.RED, '"red"'),
    (Level.HIGH, "3"),
    (Plain.FIRST, '"first"'),
    (Text("t"), '"t"'),
    (Number(2), "2.0"),
    (Point(1, 2), "[1,2]"),
    (OrderedDict(a=1), '{"a":1}'),
    (Item(5), '{"id":5}'),
    (Model(when=datetime(2026, 1, 2, tzinfo=UTC)), '{"when":"2026-01-02T00:00:00Z"}'),
    (UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
    (Decimal("1.10"), '"1.10"'),
    ({7}, "[7]"),
    ([Item(1), {"x": Item(2)}], '[{"id":1},{"x":{"id":2}}]'),
]


@pytest.mark.parametrize(("value", "expected"), OTHER)
def test_other_values_take_the_form_pydantic_gives_them(value: object, expected: str) -> None:
    assert encode(value) == expected


def test_keys_are_spelled_as_the_standard_library_spells_them() -> None:
    assert encode({1: "a", None: "b", 1e16: "c", False: "d", Colour.RED: "e"}) == (
        '{"1":"a","null":"b","1e+16":"c","false":"d","red":"e"}'
    )


def test_surrogate_pairs_are_joined_and_lone_surrogates_replaced() -> None:
    assert encode("a\ud83d\ude00b\ud800c\udc00") == '"a😀b\ufffdc\ufffd"'


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"items": [0, {"x y": b"1"}]}, 'bytes has no JSON form, decode it or send its base64 text at $.items[1]["x y"]'),
        ({"a": [memoryview(b"")]}, "memoryview has no JSON form, decode it or send its base64 text at $.a[0]"),
        ([{(1, 2): 3}], "a key of type tuple has no JSON form at $[0]"),
        ([2**1_048_576], "an integer of 1048577 bits, at most 1048576 are allowed at $[0]"),
    ],
)
def test_a_value_without_a_json_form_is_named_by_its_path(value: object, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        encode(value)


def test_an_object_that_pydantic_does_not_know_is_named_by_type_and_path() -> None:
    with pytest.raises(ValueError, match=r"^object has no JSON form \(.*\) at \$\.a\[0\]$"):
        encode({"a": [object()]})


def test_a_value_that_contains_itself_is_refused() -> None:
    cycle: dict[str, Any] = {}
    cycle["a"] = [cycle]

    with pytest.raises(ValueError, match=r"^nested deeper than 512 levels, or within itself, at \$\.a\[0\]\.a\[0\].*…$"):
        encode(cycle)


def test_depth_is_counted_in_containers() -> None:
    assert encode([[1]], max_depth=2) == "[[1]]"
    with pytest.raises(ValueError, match=r"^nested deeper than 1 levels, or within itself, at \$\[0\]$"):
        encode([[1]], max_depth=1)


def test_size_is_counted_in_bytes_of_json() -> None:
    assert encode(["é"], max_bytes=6) == '["é"]'
    with pytest.raises(ValueError, match=r"^larger than 3 bytes as JSON at \$\[0\]$"):
        encode(["é"], max_bytes=3)


def test_a_value_that_changes_while_it_is_encoded_is_an_error_and_no_crash() -> None:
    container: dict[str, object] = {}

    class Growing(BaseModel):
        @model_serializer
        def grow(self) -> int:
            container[str(len(container))] = 0
            return 1

    container["a"] = Growing()

    with pytest.raises(ValueError, match=r"^a dict changed its size while it was encoded at \$$"):
        encode(container)


@pytest.mark.usefixtures("unlimited_digits")
@pytest.mark.parametrize("digits", [19, 20, 600, 601, 4_301, 20_000])
@pytest.mark.parametrize("sign", [1, -1])
def test_integers_of_any_size_are_exact_both_ways(digits: int, sign: int) -> None:
    for value in (sign * 10 ** (digits - 1), sign * (10**digits - 1), sign * (10 ** (digits - 1) + 7)):
        assert encode(value) == str(value)
        assert decode_json(encode(value).encode()) == value


def test_the_largest_integer_of_the_guest_crosses_and_one_more_digit_does_not() -> None:
    largest = b"9" * (LARGEST_INTEGER_DIGITS - 1)

    assert decode_json(largest) > 0
    with pytest.raises(ValueError, match=r"^an integer of 315654 digits, at most 315653 are allowed$"):
        decode_json(largest + b"99")


def test_integers_are_exact_under_the_lowest_limit_a_program_can_set() -> None:
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        assert decode_json(encode(3**5_000).encode()) == 3**5_000
    finally:
        sys.set_int_max_str_digits(limit)


def test_decoded_values_keep_their_kinds() -> None:
    decoded = decode_json(b' {"i": 1, "f": 1.0, "e": 1e2, "n": null, "b": [true, false], "s": "\\u00e9\\n", "o": {}} ')

    assert repr(decoded) == "{'i': 1, 'f': 1.0, 'e': 100.0, 'n': None, 'b': [True, False], 's': 'é\\n', 'o': {}}"


def test_the_last_of_equal_keys_wins_and_order_is_kept() -> None:
    assert list(decode_json(b'{"b": 1, "__proto__": 2, "b": 3}').items()) == [("b", 3), ("__proto__", 2)]


def test_a_large_integer_is_read_in_its_place() -> None:
    assert decode_json(b'[18446744073709551616, {"a": -18446744073709551616 }, 2]') == [2**64, {"a": -(2**64)}, 2]


def test_a_thousand_levels_are_decoded_and_no_more() -> None:
    value = decode_json(b"[" * 1_000 + b"]" * 1_000)
    levels = 0
    while value:
        value = value[0]
        levels += 1

    assert levels == 999
    for deeper in (b"[" * 1_001 + b"]" * 1_001, b"[" * 1_000_000, b'{"a":' * 1_001 + b"1" + b"}" * 1_001):
        with pytest.raises(ValueError, match=r"^nested deeper than 1000 levels$"):
            decode_json(deeper)


@pytest.mark.parametrize(
    "malformed",
    [
        b"", b"{", b"[1,]", b"nul", b"1 2", b"01", b"-", b"--1", b"NaN", b"1e999", b'"\\ud800"', b'"\xff"', b'{"a" 1}', b"{1:2}",
        b"1" * 400_000, b"9" * 5_000 + b".5", b"[" + b"9" * 30, b"\xef\xbb\xbf1",
    ],
)  # fmt: skip
def test_malformed_json_is_a_value_error(malformed: bytes) -> None:
    with pytest.raises(ValueError, match=r"^(malformed JSON|a number beyond|an integer of)"):
        decode_json(malformed)
