"""Counters, events and cost of a run, with a fake guest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

import toolcell
from toolcell.executor.protocol import CellSource
from toolcell.model_catalog import ModelCatalog
from toolcell.telemetry import (
    CellFinished,
    Event,
    ModelCallFinished,
    ModelCallStarted,
    NestedCallFinished,
    NestedCallStarted,
    Prices,
    Usage,
)
from toolcell.testing import FakeCall, FakeExecutor, Guest, all_of

CONFIG = {"enabled": True, "timeoutMs": 60_000}


@toolcell.tool(name="login", input_schema={}, raw_input=True)
async def login(given: Any) -> Any:
    return given


@asynccontextmanager
async def watched(program: Callable[[CellSource], Guest], **options: Any) -> AsyncGenerator[tuple[toolcell.Run, list[Event]]]:
    events: list[Event] = []
    async with toolcell.CodeMode(CONFIG, executor=FakeExecutor(program)) as code_mode:
        code_mode.subscribe(events.append)
        async with code_mode.run(tools=[login], **options) as run:
            yield run, events


def of_kind(events: list[Event], *kinds: type[Any]) -> list[Any]:
    return [event for event in events if isinstance(event, kinds)]


async def test_exec_and_wait_are_told_with_their_arguments_also_when_they_are_refused() -> None:
    async with watched(all_of()) as (run, events):
        await run.exec({"code": "x"}, tool_call_id="t1")
        await run.exec({"cod": "x"}, tool_call_id="t2")
        await run.wait({"runId": "nobody"}, tool_call_id="t3")

    started, finished = of_kind(events, ModelCallStarted), of_kind(events, ModelCallFinished)
    assert started == [
        ModelCallStarted("t1", "exec", {"code": "x"}),
        ModelCallStarted("t2", "exec", {"cod": "x"}),
        ModelCallStarted("t3", "wait", {"runId": "nobody"}),
    ]
    assert [(e.call_id, e.tool, e.result.status) for e in finished] == [
        ("t1", "exec", "completed"),
        ("t2", "exec", "failed"),
        ("t3", "wait", "failed"),
    ]


async def test_a_nested_call_names_its_exec_as_parent_and_shows_its_input_redacted() -> None:
    given = b'{"user": "ana", "password": "hunter2", "list": [{"api_key": "k"}]}'
    async with watched(all_of(FakeCall(1, "call_value", "login", given))) as (run, events):
        await run.exec({"code": "x"}, tool_call_id="t1")

    (started,), (finished,) = of_kind(events, NestedCallStarted), of_kind(events, NestedCallFinished)
    shown = {"user": "ana", "password": "[redacted]", "list": [{"api_key": "[redacted]"}]}
    assert (started.tool_id, started.parent_id, started.input) == ("host:core:login", "t1", shown)
    assert (finished.parent_id, finished.outcome, finished.code) == ("t1", "ok", None)


async def test_the_policy_decides_what_telemetry_shows_of_an_input() -> None:
    class Silent(toolcell.Policy):
        def redact(self, call: toolcell.ToolCall) -> None:
            return None

    class Broken(toolcell.Policy):
        def redact(self, call: toolcell.ToolCall) -> None:
            raise LookupError("secret")

    shown = list[Any]()
    for policy in (Silent(), Broken()):
        async with watched(all_of(FakeCall(1, "call_value", "login", b'"x"')), policy=policy) as (run, events):
            await run.exec({"code": "x"})
        shown += [event.input for event in of_kind(events, NestedCallStarted)]

    assert shown == [None, "[redacted]"]


async def test_a_run_whose_host_names_no_call_ids_has_parents_nevertheless() -> None:
    async with watched(all_of(FakeCall(1, "call_value", "login", b"1"), FakeCall(2, "yield"))) as (run, events):
        cell = await run.exec({"code": "x"})
        await run.wait({"runId": cell.run_id})

    ids = [event.call_id for event in of_kind(events, ModelCallStarted)]
    assert [event.parent_id for event in of_kind(events, NestedCallStarted)] == ids[:1]
    assert len(set(ids)) == 2


async def test_a_call_in_flight_when_its_cell_is_aborted_is_told_as_unknown_and_once() -> None:
    running = asyncio.Event()

    @toolcell.tool
    async def hang() -> None:
        running.set()
        await asyncio.Event().wait()

    events = list[Event]()
    executor = FakeExecutor(all_of(FakeCall(1, "call_value", "hang")))
    async with toolcell.CodeMode(CONFIG, executor=executor) as code_mode, code_mode.run(tools=[hang]) as run:
        run.subscribe(events.append)
        cell = asyncio.create_task(run.exec({"code": "x"}))
        await running.wait()
        await run.abort()
        await cell

    assert [(e.tool, e.outcome) for e in of_kind(events, NestedCallFinished)] == [("hang", "unknown")]


async def test_the_end_of_a_parked_cell_is_told_too() -> None:
    async with watched(all_of(FakeCall(1, "yield"))) as (run, events):
        cell = await run.exec({"code": "x"})
        assert cell.run_id is not None
        await run.abort(cell.run_id)

    assert of_kind(events, CellFinished) == [CellFinished(cell.run_id, "failed", "aborted", "aborted")]


async def test_turns_and_their_cost_add_up_cache_tiers_included() -> None:
    prices = {"input": 2, "output": 10, "cacheRead": 0.2, "cacheWrite": 2.5}
    models = ModelCatalog.load({"models": [{"provider": "p", "model": "m", "prices": prices}]})
    million = 1_000_000
    async with (
        toolcell.CodeMode(CONFIG, executor=FakeExecutor(all_of()), model_catalog=models) as code_mode,
        code_mode.run(tools=[login], model="P/M") as run,
    ):
        before = run.telemetry.cost_usd
        run.record_turn(Usage(input_tokens=million, output_tokens=million))
        run.record_turn(Usage(cache_read_tokens=million, cache_write_tokens=2 * million))

    assert (before, run.telemetry.assistant_turns, run.telemetry.cost_usd) == (None, 2, pytest.approx(17.2))


@pytest.mark.parametrize(
    ("usage", "prices"),
    [
        (None, Prices(input=1, output=1)),
        (Usage(input_tokens=1), None),
        (Usage(cache_read_tokens=1), Prices(input=1, output=1)),
    ],
    ids=["no usage", "no prices", "no price for a tier"],
)
def test_a_cost_that_is_not_known_stays_unknown(usage: Usage | None, prices: Prices | None) -> None:
    from toolcell.telemetry import RunTelemetry

    telemetry = RunTelemetry()

    telemetry.record_turn(usage, prices)
    telemetry.record_turn(Usage(input_tokens=1), Prices(input=1, output=1))

    assert (telemetry.assistant_turns, telemetry.cost_usd) == (2, None)


async def test_counters_are_cumulative_over_the_run_and_bridge_calls_are_apart() -> None:
    program = all_of(FakeCall(1, "call_value", "login", b"1"), FakeCall(2, "search", "x"), FakeCall(3, "describe", "login"))
    async with watched(program) as (run, _):
        results = [await run.exec({"code": "x"}) for _ in range(3)]

    counters = [
        (t.exec_count, t.wait_count, t.call_count, t.search_count, t.describe_count) for t in (r.telemetry for r in results)
    ]
    assert counters == [(1, 0, 1, 1, 1), (2, 0, 2, 2, 2), (3, 0, 3, 3, 3)]
    assert len({result.telemetry.counter_scope for result in results}) == 1
    assert run.telemetry.assistant_turns == 0
