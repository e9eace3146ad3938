"""What a catalog costs: registering tools, the first search, later ones, and a Python function against pydantic.

Run: ``python benches/catalog.py``. Times are medians of CPU time in this process; ratios compare work done in turn.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

import toolcell
from toolcell.catalog import Catalog, Tool, tool
from toolcell.config import CodeModeConfig
from toolcell.surface import Surface

TOOLS = 10_000
VERBS = ["list", "create", "update", "delete", "get", "find", "run", "send", "move", "copy"]
THINGS = [f"{kind}_{part}" for kind in ["repository", "issue", "invoice", "shipment", "contact"] for part in range(200)]
CELL = 'return (await list_repository_0({repository_0_id: "a"})).repository_0_id'
QUERIES = ["move a shipment", "find contacts by name", "delete repository 7", "send invoice", "copy issue 150 to repository"]


def main() -> None:
    """Print one line for each measurement."""
    registered, catalogs = median_of(lambda: Catalog(registered_tools()), 5)
    rows, _ = median_of(lambda: Catalog(catalogs[0].tools[index].tool for index in range(TOOLS)).native_rows(), 3)
    first, _ = median_of(lambda: Catalog(entry.tool for entry in catalogs[0].tools).search(QUERIES[0], 8), 3)
    searched = catalogs[1]
    searched.search(QUERIES[0], 8)
    common = max(median_of(lambda word=word: searched.search(word, 8), 1)[0] for word in ("account", "one"))
    later = statistics.median(median_of(lambda query=query: searched.search(query, 8), 20)[0] for query in QUERIES)
    surface, _ = median_of(lambda: Surface(searched, CodeModeConfig()).model_tools, 5)
    print(f"register {TOOLS} tools given by JSON Schema     {registered * 1e3:8.1f} ms")
    print(f"  and encode them for a worker                 {rows * 1e3:8.1f} ms")
    print(f"first search, catalog and index included       {first * 1e3:8.1f} ms")
    print(f"later search                                   {later * 1e3:8.2f} ms")
    print(f"  for a word of all tools, for the first time  {common * 1e3:8.2f} ms")
    print(f"exec and wait with their quick index           {surface * 1e3:8.1f} ms")
    many, one = asyncio.run(cells(registered_tools()))
    print(f"a cell that calls a tool, against a catalog of one {many / one:5.2f} x ({many * 1e3:.2f} against {one * 1e3:.2f} ms)")
    ours, theirs = in_turn(lambda: tool(sample), by_pydantic, 200)
    print(
        f"a Python function as a tool, against pydantic  {ours / theirs:8.2f} x ({ours * 1e6:.0f} against {theirs * 1e6:.0f} us)"
    )


async def cells(tools: list[Tool], times: int = 100) -> tuple[float, float]:
    """Run one cell in turn in a catalog of all tools and in one of a single tool; return the medians of seconds, all included."""
    async with toolcell.CodeMode(True, warm_workers=2) as code_mode, AsyncExitStack() as stack:
        runs = [await stack.enter_async_context(code_mode.run(tools=some)) for some in (tools, tools[:1])]
        seconds: list[list[float]] = [[], []]
        for turn in range(times + 3):
            for side, run in enumerate(runs):
                started = time.perf_counter()
                result = await run.exec({"code": CELL})
                if turn >= 3:  # the first ones load the catalog
                    seconds[side].append(time.perf_counter() - started)
                if result.value != "a":
                    raise RuntimeError(f"not what the cell returns: {result}")
    return statistics.median(seconds[0]), statistics.median(seconds[1])


def registered_tools() -> list[Tool]:
    """Make tools with schemas of their own, as a host with many plugins does."""
    return [
        tool(name=name, description=f"{verb} one {thing} of the account", input_schema=schema(thing), raw_input=True)(same)
        for verb in VERBS
        for thing in THINGS
        for name in [f"{verb}_{thing}"]
    ]


def schema(thing: str) -> dict[str, Any]:
    """Return a small schema of usual shape."""
    return {
        "type": "object",
        "properties": {
            f"{thing}_id": {"type": "string", "description": "Which one."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100},
            "tags": {"type": "array", "items": {"type": "string"}},
            "options": {"type": "object", "properties": {"dry_run": {"type": "boolean"}}, "additionalProperties": False},
        },
        "required": [f"{thing}_id"],
        "additionalProperties": False,
    }


def same(given: Any) -> Any:
    """Body of the tools; never run here."""
    return given


def sample(to: str, limit: Annotated[int, Field(ge=1)] = 5, tags: list[str] | None = None) -> list[dict[str, int]]:
    """Send something.

    Args:
        to: Who gets it.
    """
    return []


def by_pydantic() -> None:
    """What pydantic alone needs for the input and output of `sample`, schemas included."""
    TypeAdapter(sample).json_schema()
    TypeAdapter(list[dict[str, int]]).json_schema(mode="serialization")


def median_of(work: Callable[[], Any], times: int) -> tuple[float, list[Any]]:
    """Run ``work`` several times; return the median of its CPU seconds, and its results."""
    seconds: list[float] = []
    results: list[Any] = []
    for _ in range(times):
        started = time.process_time()
        results.append(work())
        seconds.append(time.process_time() - started)
    return statistics.median(seconds), results


def in_turn(one: Callable[[], Any], other: Callable[[], Any], times: int) -> tuple[float, float]:
    """Run two things alternately, so that both meet the same disturbances; return the medians."""
    pairs = [(median_of(one, 1)[0], median_of(other, 1)[0]) for _ in range(times)]
    return statistics.median(first for first, _ in pairs), statistics.median(second for _, second in pairs)


if __name__ == "__main__":
    main()
