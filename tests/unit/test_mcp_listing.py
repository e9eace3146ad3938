"""Listing a server's tools, whatever it says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from toolcell.mcp import McpServer, listing

SERVER = McpServer.stdio("git", ["x"], deny=["denied"])
SCHEMA = {"type": "object"}


class Pages:
    """A session whose answers are given."""

    protocol_version = ""
    server_info: Mapping[str, Any] = {}
    capabilities: Mapping[str, Any] = {}

    def __init__(self, *pages: Any) -> None:
        self.pages = list(pages)
        self.asked: list[Mapping[str, Any]] = []

    async def request(self, method: str, params: Mapping[str, Any], on_progress: Any = None) -> Mapping[str, Any]:
        self.asked.append(params)
        return self.pages[min(len(self.asked), len(self.pages)) - 1]


async def test_words_and_schemas_are_taken_as_they_are() -> None:
    tool = {"name": "log", "description": "Log.", "title": "Log it", "inputSchema": SCHEMA, "outputSchema": SCHEMA, "_meta": {}}
    pages = Pages({"tools": [tool], "nextCursor": "2"}, {"tools": [{"name": "denied"}, {"name": "plain"}]})

    assert await listing.list_tools(pages, SERVER) == {
        "log": {"description": "Log.", "label": "Log it", "input_schema": SCHEMA, "output_schema": SCHEMA},
        "plain": {"description": "", "label": None, "input_schema": {}, "output_schema": None},
    }
    assert pages.asked == [{}, {"cursor": "2"}]


@pytest.mark.parametrize(
    "tools",
    [None, 5, {}, [None, 5, "x", []], [{}], [{"name": 5}, {"name": ""}, {"name": "a\nb"}, {"name": "x" * 257}]],
)
async def test_what_is_no_tool_is_passed_over(tools: Any) -> None:
    assert await listing.list_tools(Pages({"tools": tools, "nextCursor": 5}), SERVER) == {}


async def test_words_and_schemas_of_another_type_or_without_measure_are_not_used() -> None:
    deep: dict[str, Any] = {}
    for _ in range(100_000):
        deep = {"a": deep}
    pages = Pages(
        {
            "tools": [
                {"name": "odd", "description": 5, "title": [], "inputSchema": True, "outputSchema": "x"},
                {
                    "name": "long",
                    "description": "x" * 100_000,
                    "title": "y" * 1_000,
                    "inputSchema": {"description": "z" * 300_000},
                },
                {"name": "deep", "inputSchema": deep},
            ]
        }
    )
    found = await listing.list_tools(pages, SERVER)

    assert {name: tool["input_schema"] for name, tool in found.items()} == {"odd": {}, "long": {}, "deep": {}}
    assert (found["odd"]["description"], found["odd"]["label"], found["odd"]["output_schema"]) == ("", None, None)
    assert (len(found["long"]["description"]), len(found["long"]["label"])) == (65_536, 128)


async def test_a_list_ends_where_it_repeats_itself_or_grows_without_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MAX_TOOLS", 3)
    monkeypatch.setattr(listing, "MAX_LIST_BYTES", 100)
    again = Pages({"tools": [{"name": "a"}], "nextCursor": "x"})
    many = Pages({"tools": [{"name": name} for name in "abcdef"]})
    large = Pages({"tools": [{"name": name, "description": "x" * 60} for name in "abcdef"]})

    assert (list(await listing.list_tools(again, SERVER)), len(again.asked)) == (["a"], 2)
    assert list(await listing.list_tools(many, SERVER)) == ["a", "b", "c"]
    assert list(await listing.list_tools(large, SERVER)) == ["a"]
