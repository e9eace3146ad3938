"""What a run is made of, with a fake guest: plain functions, rankers, batches of decisions, aborts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

import toolcell
from toolcell.catalog import Document
from toolcell.store import SqliteStore
from toolcell.testing import FakeCall, FakeExecutor, all_of

CONFIG = {"enabled": True, "timeoutMs": 60_000}
KEY = b"k" * 32


def apples(count: int) -> int:
    """Buy apples."""
    return count


def pears(count: int) -> int:
    """Buy pears."""
    return count


async def test_functions_need_no_decorator() -> None:
    executor = FakeExecutor(all_of(FakeCall(1, "call_value", "apples", b'{"count": 3}')))
    async with toolcell.CodeMode(CONFIG, executor=executor) as code_mode, code_mode.run(tools=[apples]) as run:
        result = await run.exec({"code": "x"})

    assert result.value == {"1": 3}


async def test_what_is_no_tool_is_refused_when_the_run_is_made() -> None:
    async with toolcell.CodeMode(CONFIG, executor=FakeExecutor(all_of())) as code_mode:
        with pytest.raises(toolcell.ToolDefinitionError, match="42"):
            code_mode.run(tools=[42])


class Backwards:
    """Ranks by id, last first."""

    def __init__(self) -> None:
        self.ids: set[str] = set()

    def add(self, documents: Sequence[Document]) -> None:
        self.ids |= {document.id for document in documents}

    def remove(self, ids: Iterable[str]) -> None:
        self.ids -= set(ids)

    def rank(self, query: str, limit: int) -> Sequence[str]:
        return sorted(self.ids, reverse=True)[:limit]


async def test_a_host_may_bring_its_own_ranker() -> None:
    executor = FakeExecutor(all_of(FakeCall(1, "search", "fruit")))
    async with (
        toolcell.CodeMode(CONFIG, executor=executor) as code_mode,
        code_mode.run(tools=[apples, pears], ranker=Backwards()) as run,
    ):
        found = await run.search("fruit")
        result = await run.exec({"code": "x"})

    assert [entry["name"] for entry in found] == ["pears", "apples"]
    assert result.value["1"] == found


async def test_a_host_may_bring_an_embedding_model() -> None:
    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, 0.0] if "pears" in text or "juicy" in text else [0.0, 1.0] for text in texts]

    async with (
        toolcell.CodeMode(CONFIG, executor=FakeExecutor(all_of())) as code_mode,
        code_mode.run(tools=[apples, pears], embed=embed) as run,
    ):
        found = await run.search("juicy")

    assert found[0]["name"] == "pears"


async def test_a_ranker_and_an_embedding_model_exclude_each_other() -> None:
    async with toolcell.CodeMode(CONFIG, executor=FakeExecutor(all_of())) as code_mode:
        with pytest.raises(toolcell.ConfigError) as caught:
            code_mode.run(tools=[apples], ranker=Backwards(), embed=lambda texts: [])

    assert caught.value.field == "embed"


def asking(**options: Any) -> tuple[toolcell.Tool, list[Any]]:
    seen: list[Any] = []

    @toolcell.tool(name="pay", input_schema={}, raw_input=True, requires_approval=True, **options)
    async def pay(given: Any) -> Any:
        seen.append(given)
        return given

    return pay, seen


def payments(count: int) -> list[FakeCall]:
    return [FakeCall(n, "call_value", "pay", json.dumps(n).encode()) for n in range(1, count + 1)]


async def test_several_calls_are_decided_at_once() -> None:
    pay, seen = asking()
    executor = FakeExecutor(all_of(*payments(3)))
    async with toolcell.CodeMode(CONFIG, executor=executor) as code_mode, code_mode.run(tools=[pay]) as run:
        cell = await run.exec({"code": "x"})
        assert cell.run_id is not None
        ids = [call.id for call in cell.pending_tool_calls or ()]
        await run.decide(cell.run_id, ids[:2], "approve")
        await run.decide(cell.run_id, ids[2:], "deny")
        result = await run.wait({"runId": cell.run_id})

    assert (seen, result.value["3"]["error"]) == ([1, 2], "denied")


@pytest.mark.parametrize(("decision", "which"), [("approve", ["1", "9"]), ("edit", ["1", "2"]), ("perhaps", ["1", "2"])])
async def test_a_batch_with_a_fault_decides_nothing(decision: str, which: list[str]) -> None:
    pay, seen = asking()
    executor = FakeExecutor(all_of(*payments(2)))
    async with toolcell.CodeMode(CONFIG, executor=executor) as code_mode, code_mode.run(tools=[pay]) as run:
        cell = await run.exec({"code": "x"})
        assert cell.run_id is not None
        with pytest.raises(toolcell.ToolcellError):
            await run.decide(cell.run_id, [f"{cell.run_id}/{number}" for number in which], decision)
        before = list(seen)
        await run.decide(cell.run_id, [f"{cell.run_id}/1", f"{cell.run_id}/2"], "approve")
        await run.wait({"runId": cell.run_id})

    assert (before, seen) == ([], [1, 2])


async def test_abort_of_all_ends_cells_of_the_scope_that_only_the_store_has(tmp_path: Path) -> None:
    executor = FakeExecutor(all_of(FakeCall(1, "yield")))
    mine, other = toolcell.Scope("a", "s", "k", "r"), toolcell.Scope("a", "s", "k", "other")
    async with AsyncExitStack() as stack:

        async def host(scope: toolcell.Scope, key: bytes = KEY) -> toolcell.Run:
            store = SqliteStore(tmp_path / "cells.db", key=key)
            code_mode = await stack.enter_async_context(toolcell.CodeMode(CONFIG, executor=executor, store=store))
            return await stack.enter_async_context(code_mode.run(tools=[apples], scope=scope))

        first, second = await host(mine), await host(mine)
        stranger, forger = await host(other), await host(mine, b"x" * 32)
        cells = [await run.exec({"code": "x"}) for run in (first, second, stranger, forger)]
        await second.abort()
        after = [
            await run.wait({"runId": cell.run_id}) for run, cell in zip((first, second, stranger, forger), cells, strict=True)
        ]

    assert [result.reason or result.status for result in after] == ["unknown_run", "unknown_run", "completed", "completed"]
    assert second.telemetry.continuations.dropped == 2


async def test_a_run_with_a_partial_scope_may_abort_its_own_cells() -> None:
    executor = FakeExecutor(all_of(FakeCall(1, "yield")))
    async with (
        toolcell.CodeMode(CONFIG, executor=executor) as code_mode,
        code_mode.run(tools=[apples], scope=toolcell.Scope("a")) as run,
    ):
        cell = await run.exec({"code": "x"})
        await run.abort(cell.run_id)

        assert (code_mode.cells, run.telemetry.continuations.dropped) == ({}, 1)


async def test_a_run_that_is_not_engaged_shows_no_tool_that_its_policy_denies() -> None:
    async with (
        toolcell.CodeMode({"enabled": False}) as code_mode,
        code_mode.run(tools=[apples, pears], policy=toolcell.Policy(deny=["pears"])) as run,
    ):
        shown = [tool.name for tool in run.model_tools]

    assert (shown, run.telemetry.visible_tools) == (["apples"], ("apples",))
