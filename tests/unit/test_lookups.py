"""Searches and descriptions, with a fake guest."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from typing import Any

import toolcell
from support.runs import FOREVER, SHORT, a_run, add, call, exec_all, recorder, upper
from toolcell.catalog import Document
from toolcell.testing import FakeCall, all_of


async def test_search_and_describe_are_answered_from_the_catalog() -> None:
    searched = FakeCall(1, "search", "add numbers", limit=1)
    value = await exec_all(searched, FakeCall(2, "describe", "add"), FakeCall(3, "describe", "nope"), tools=[add, upper])

    assert ([hit["name"] for hit in value["1"]], "parameters" in value["2"], value["3"]["error"]) == (
        ["add"],
        True,
        "unknown_tool",
    )


class Slow:
    """Takes a while for each search."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    def add(self, documents: Sequence[Document]) -> None: ...

    def remove(self, ids: Iterable[str]) -> None: ...

    def rank(self, query: str, limit: int) -> Sequence[str]:
        self.asked.set()
        time.sleep(0.005)
        return ()


async def test_look_ups_end_at_the_deadline_of_their_cell_and_no_call_of_their_leg_runs() -> None:
    record, seen = recorder()
    leg = [call(1, "record", 1), *(FakeCall(number, "search", "add numbers") for number in range(2, 1_002))]

    async with a_run(all_of(*leg), record, config=SHORT, ranker=Slow()) as run:
        result = await run.exec("x")

    assert (result.status, result.code, result.phase, result.calls, seen) == ("failed", "timeout", "bridge", None, [])
    assert result.telemetry.search_count < 1_000


async def test_an_abort_ends_look_ups() -> None:
    record, seen = recorder()
    leg = [call(1, "record", 1), *(FakeCall(number, "search", "add numbers") for number in range(2, 1_002))]

    ranker = Slow()
    async with a_run(all_of(*leg), record, ranker=ranker) as run:
        running = asyncio.create_task(run.exec("x"))
        await ranker.asked.wait()
        await run.abort()
        result = await running

    assert (result.code, result.telemetry.search_count < 1_000, seen) == ("aborted", True, [])


async def test_what_a_leg_is_told_is_bounded_by_the_guests_memory() -> None:
    schema = {"type": "object", "properties": {"x": {"description": "x" * 300_000}}}

    @toolcell.tool(name="large", input_schema=schema, raw_input=True)
    async def large(given: Any) -> None: ...

    value = await exec_all(
        *(FakeCall(number, "describe", "large") for number in range(1, 11)),
        tools=[large],
        config=FOREVER | {"memoryLimitBytes": 1 << 20, "maxOutputBytes": 10 << 20},
    )

    assert [answer.get("error") for answer in value.values()] == [None] * 4 + ["lookup_failed"] * 6
