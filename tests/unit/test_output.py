"""The output of a cell within its budget."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcell import JsonOutput, TextOutput
from toolcell.runtime.output import CellOutput


@dataclass
class Emitted:
    kind: Any
    data: Any


def text(data: str) -> Emitted:
    return Emitted("text", data)


def wire_bytes(items: list[Any]) -> int:
    return sum(len(json.dumps(item.model_dump(), ensure_ascii=False, separators=(",", ":")).encode()) for item in items)


def test_items_are_delivered_in_order_and_once() -> None:
    output = CellOutput(1000, truncate=False)
    output.add([text("a"), Emitted("json", b'{"n":1}')])

    assert (output.deliver(), output.deliver()) == ([TextOutput(text="a"), JsonOutput(value={"n": 1})], None)


def test_spent_bytes_are_those_of_the_json_of_the_items() -> None:
    output = CellOutput(1000, truncate=False)
    output.add([text('é"\n'), Emitted("json", b"[1]")])
    spent = output.spent_bytes

    assert spent == len('{"type":"text","text":"é\\"\\n"}'.encode()) + len('{"type":"text","text":[1]}')


def test_truncation_keeps_head_and_tail_and_says_how_much_there_was() -> None:
    output = CellOutput(2_000, truncate=True)
    output.add([text(f"line {n}") for n in range(1_000)])

    notice, *kept = output.deliver() or []

    assert isinstance(notice, TextOutput)
    assert str(output.spent_bytes) in notice.text
    texts = [item.text for item in kept if isinstance(item, TextOutput)]
    assert (texts[0], texts[-1]) == ("line 0", "line 999")


def test_one_text_that_is_too_large_is_cut_in_its_middle() -> None:
    output = CellOutput(2_000, truncate=True)
    output.add([text("a" * 5_000 + "z" * 5_000)])

    notice, *kept = output.deliver() or []

    joined = "".join(item.text for item in kept if isinstance(item, TextOutput))
    assert isinstance(notice, TextOutput)
    assert (joined[0], joined[-1], len(joined) < 2_000) == ("a", "z", True)


def test_nothing_is_cut_that_fits() -> None:
    output = CellOutput(2_000, truncate=True)
    output.add([text("a" * 1_500)])

    assert output.deliver() == [TextOutput(text="a" * 1_500)]


def test_a_value_over_the_budget_becomes_a_marked_string_in_truncate_mode_only() -> None:
    value = json.dumps(list(range(2_000))).encode()

    whole, no_warning = CellOutput(20_000, truncate=False).truncate_value(value)
    cut, warning = CellOutput(2_000, truncate=True).truncate_value(value)

    assert (whole, no_warning) == (list(range(2_000)), None)
    assert isinstance(cut, str)
    assert (cut.startswith("[0, 1"), cut.endswith("1999]"), str(len(value)) in (warning or "")) == (True, True, True)


def test_a_value_over_the_budget_is_no_value_in_fail_mode() -> None:
    with pytest.raises(ValueError, match="a value of 104 bytes"):
        CellOutput(100, truncate=False).truncate_value(b'"' + b"x" * 102 + b'"')


def test_json_that_is_too_large_by_itself_leaves_its_ends_and_a_notice() -> None:
    output = CellOutput(2_000, truncate=True)
    output.add([Emitted("json", b'["a' + b"x" * 5_000 + b'z"]')])
    notice, *items = output.deliver() or []

    joined = "".join(item.text for item in items if isinstance(item, TextOutput))
    assert (isinstance(notice, TextOutput) and "5029 bytes were emitted" in notice.text) is True
    assert (joined[:3], joined[-3:], len(joined) < 2_000) == ('["a', 'z"]', True)


@pytest.mark.parametrize(
    "item", [text("\x01" * (8 << 20)), Emitted("json", b'["' + b"x" * (8 << 20) + b'"]')], ids=["text", "json"]
)
def test_what_is_dropped_is_never_copied_whole(item: Emitted) -> None:
    output = CellOutput(2_000, truncate=True)
    tracemalloc.start()
    output.add([item])
    items = output.deliver() or []
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert (len(items), peak < len(item.data)) == (3, True)


def test_a_long_text_costs_what_its_json_takes() -> None:
    output = CellOutput(64 << 20, truncate=False)
    long = "é\n\x01" * (1 << 20)
    output.add([text(long)])

    assert output.spent_bytes == len('{"type":"text","text":""}') + len(json.dumps(long, ensure_ascii=False).encode()) - 2


def test_bytes_that_are_not_json_are_delivered_as_text() -> None:
    output = CellOutput(2_000, truncate=False)
    output.add([Emitted("json", b"{\xff")])

    assert output.deliver() == [TextOutput(text="{\ufffd")]


@given(st.lists(st.text(max_size=400), max_size=60), st.integers(1_024, 4_000))
def test_a_delivery_stays_within_the_budget_and_its_notice(texts: list[str], budget: int) -> None:
    output = CellOutput(budget, truncate=True)
    output.add([text(item) for item in texts])
    items = output.deliver() or []

    notice = 1 if items and isinstance(items[0], TextOutput) and items[0].text.startswith("[output truncated") else 0
    assert wire_bytes(items[notice:]) <= budget
