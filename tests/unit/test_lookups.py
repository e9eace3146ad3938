"""Searches and descriptions, with a fake guest."""

from __future__ import annotations

from support.runs import add, exec_all, upper
from toolcell.testing import FakeCall


async def test_search_and_describe_are_answered_from_the_catalog() -> None:
    searched = FakeCall(1, "search", "add numbers", limit=1)
    value = await exec_all(searched, FakeCall(2, "describe", "add"), FakeCall(3, "describe", "nope"), tools=[add, upper])

    assert ([hit["name"] for hit in value["1"]], "parameters" in value["2"], value["3"]["error"]) == (
        ["add"],
        True,
        "unknown_tool",
    )
