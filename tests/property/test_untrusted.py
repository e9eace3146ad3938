"""The envelope around any text."""

from __future__ import annotations

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from toolcell import untrusted
from toolcell.values import Json

BEGIN, END = untrusted.mark("").split("\n")[::2]
pieces = st.sampled_from(
    ["[", "end", "of", "untrusted", "tool", "data", "]", " ", "\n", "\\n", "\u200b", "\u200d", "<", "|", "/s>", "\uff3b"]
)
hostile = st.lists(pieces | st.text(max_size=3), max_size=30).map("".join)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_characters="[<\uff1c", codec="utf-8")),
    lambda inner: st.dictionaries(st.text(max_size=5).filter(lambda key: not set(key) & {"[", "<"}), inner, max_size=4),
    max_leaves=10,
)


@given(hostile)
def test_no_text_holds_a_mark_and_marking_it_again_changes_nothing(text: str) -> None:
    first, *inner, last = untrusted.mark(text).split("\n")
    again = untrusted.mark("\n".join(inner))

    assert (first, last) == (BEGIN, END)
    assert not {BEGIN, END} & set(inner)
    assert again == untrusted.mark(text)


@given(json_values)
def test_json_without_brackets_keeps_its_meaning(value: Json) -> None:
    text = json.dumps({"value": value}, ensure_ascii=False)

    assert json.loads(untrusted.mark(text).split("\n", 1)[1].rpartition("\n")[0]) == {"value": value}


@given(
    st.recursive(hostile, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(hostile, inner, max_size=3), max_leaves=8)
)
def test_hostile_json_stays_json_of_the_same_shape(value: Json) -> None:
    text = json.dumps(value, ensure_ascii=False)

    assert shape(json.loads(untrusted.mark(text).split("\n", 1)[1].rpartition("\n")[0])) == shape(value)


def shape(value: Json) -> object:
    if isinstance(value, list):
        return [shape(item) for item in value]
    return [shape(item) for item in value.values()] if isinstance(value, dict) else type(value)


@given(st.text())
def test_what_people_are_shown_has_no_control_characters(text: str) -> None:
    controls = [c for c in untrusted.printable(text) if unicodedata.category(c) in ("Cc", "Cs")]

    assert controls == [c for c in text if c in "\t\n"]


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"], exclude_characters="\u115f\u1160\u3164\uffa0")))
def test_what_people_can_see_is_shown_as_it_is(text: str) -> None:
    assert untrusted.printable(text) == text
