"""The envelope around any text."""

from __future__ import annotations

import json

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


@given(st.text())
def test_what_people_are_shown_keeps_every_printable_character(text: str) -> None:
    shown = untrusted.printable(text)

    assert [c for c in text if c.isprintable()] == [c for c in text if c.isprintable() and c in shown]
    assert all(c in "\t\n" or ord(c) >= 32 for c in shown)
