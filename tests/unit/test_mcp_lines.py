"""Lines out of a server's output."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcell.mcp.lines import LineAssembler, TooLong, request_id

CHUNKS = st.lists(st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\n\n", b"defgh"]), max_size=6).map(b"".join), max_size=8)


@given(CHUNKS)
def test_lines_are_the_same_however_they_are_cut_into_chunks(chunks: list[bytes]) -> None:
    assembler = LineAssembler(max_bytes=4)
    lines = [line for chunk in chunks for line in assembler.feed(chunk)]
    whole = b"".join(chunks).split(b"\n")[:-1]

    assert [line.size if isinstance(line, TooLong) else line for line in lines] == [
        line if len(line) <= 4 else len(line) for line in whole
    ]


def test_of_a_line_that_is_too_long_only_the_edges_are_held() -> None:
    assembler = LineAssembler(max_bytes=10_000)
    for _ in range(1_000):
        assert assembler.feed(b"x" * 10_000) == []
    [line, following] = assembler.feed(b"end\nshort\n")

    assert (line, following) == (TooLong(b"x" * 512, b"x" * 509 + b"end", 10_000_003), b"short")


@pytest.mark.parametrize(
    "text",
    [
        '{"jsonrpc":"2.0","id":7,"result":{"id":9}}',
        '{"jsonrpc": "2.0", "id": 7, "result": {}}',
        '{"id":7,"jsonrpc":"2.0","result":{}}',
        '{"result":{"id":9},"jsonrpc":"2.0","id":7}',
        '{"result":{"id":9},"id":7,"jsonrpc":"2.0"}\r',
        json.dumps({"jsonrpc": "2.0", "id": 7, "result": {"x": "y" * 5_000}}),
    ],
)
def test_the_request_that_an_answer_belongs_to_is_read_off_its_edges(text: str) -> None:
    assert request_id(text[:512].encode(), text[-512:].encode()) == 7


@pytest.mark.parametrize(
    "text",
    [
        '{"result":{"id":7}}',
        '{"jsonrpc":"2.0","method":"x","params":{"a":1,"id":7}}',
        '{"id":"7","result":1}',
        "id:7",
        "",
        '{"id":true,"x":1}',
    ],
)
def test_no_request_is_read_off_what_answers_none(text: str) -> None:
    assert request_id(text.encode(), text.encode()) is None
