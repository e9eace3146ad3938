"""A run, with a fake guest: what exec and wait give, engagement, events."""

from __future__ import annotations

import pytest

import toolcell
from support.runs import FOREVER, a_run, add, call
from toolcell.executor.protocol import CellSource
from toolcell.telemetry import Event
from toolcell.testing import FakeCall, FakeExecutor, FakeText, Guest, GuestError, all_of


async def test_output_is_delivered_once() -> None:
    def program(source: CellSource) -> Guest:
        yield [FakeText("one"), FakeCall(1, "yield")]
        yield [FakeText("two"), FakeCall(2, "yield")]
        return b"3"

    async with a_run(program) as run:
        results = [await run.exec({"code": "x"})]
        while results[-1].status == "waiting":
            results.append(await run.wait({"runId": results[-1].run_id}))

    texts = [[item.text for item in result.output or () if isinstance(item, toolcell.TextOutput)] for result in results]
    assert texts == [["one"], ["two"], []]


async def test_output_before_a_failure_is_kept_and_the_run_stays_usable() -> None:
    def program(source: CellSource) -> Guest:
        if source.code == "bad":
            yield [FakeText("before"), call(1, "add", {"a": 1, "b": 1})]
            raise GuestError("Error: boom")
        return b"1"

    async with a_run(program, add) as run:
        failed = await run.exec({"code": "bad"})
        good = await run.exec({"code": "good"})

    assert (failed.status, failed.reason, failed.output, good.status) == (
        "failed",
        "guest_error",
        [toolcell.TextOutput(text="before")],
        "completed",
    )
    assert [(c.tool, c.outcome) for c in failed.calls or ()] == [("add", "ok")]


async def test_a_cell_that_returns_and_emits_nothing_gets_a_warning_that_names_its_calls() -> None:
    def program(source: CellSource) -> Guest:
        yield [call(1, "add", {"a": 1, "b": 1})]
        return b"null"

    async with a_run(program, add) as run:
        result = await run.exec({"code": "x"})

    assert (result.value, [("add" in text, "return" in text) for text in result.warnings or ()]) == (None, [(True, True)])


async def test_a_run_that_is_not_engaged_refuses_cells_and_shows_its_tools() -> None:
    async with a_run(all_of(), add, config={"enabled": False}) as run:
        result = await run.exec({"code": "x"})

    assert (run.engaged, run.engagement_reason, [t.name for t in run.model_tools]) == (False, "disabled", ["add"])
    assert (result.status, result.code) == ("failed", "invalid_input")


async def test_an_engaged_run_without_an_executor_can_not_be_entered() -> None:
    async with toolcell.CodeMode(FOREVER, executor=FakeExecutor(all_of(), available=False)) as code_mode:
        with pytest.raises(toolcell.RuntimeUnavailableError):
            async with code_mode.run(tools=[add]):
                pass


async def test_an_executor_that_is_lost_later_gives_failed_results() -> None:
    executor = FakeExecutor(all_of(FakeCall(1, "yield")))
    async with toolcell.CodeMode(FOREVER, executor=executor) as code_mode, code_mode.run(tools=[add]) as run:
        cell = await run.exec({"code": "x"})
        executor.available = False
        failed = [await run.exec({"code": "x"}), await run.wait({"runId": cell.run_id})]
        executor.available = True
        resumed = await run.wait({"runId": cell.run_id})

    assert [(r.code, r.reason) for r in failed] == [("runtime_unavailable", "start_failed")] * 2
    assert resumed.status == "completed"


async def test_a_closed_run_can_not_be_used() -> None:
    async with a_run(all_of(), add) as run:
        pass

    with pytest.raises(toolcell.RunClosedError):
        await run.exec({"code": "x"})


async def test_counters_and_events_tell_what_happened() -> None:
    events = list[Event]()
    async with a_run(all_of(call(1, "add", {"a": 1, "b": 1}), FakeCall(2, "search", "add")), add) as run:
        run.subscribe(events.append)
        result = await run.exec({"code": "x"})

    telemetry = result.telemetry
    assert (telemetry.exec_count, telemetry.call_count, telemetry.search_count, telemetry.visible_tools) == (
        1,
        1,
        1,
        ("exec", "wait"),
    )
    assert [type(event).__name__ for event in events] == [
        "ModelCallStarted",
        "CellStarted",
        "NestedCallStarted",
        "NestedCallFinished",
        "CellFinished",
        "ModelCallFinished",
    ]


async def test_a_listener_that_raises_changes_nothing() -> None:
    def listener(event: Event) -> None:
        raise RuntimeError("broken listener")

    async with a_run(all_of(), add) as run:
        run.subscribe(listener)
        result = await run.exec({"code": "x"})

    assert result.status == "completed"


async def test_an_adapter_passes_what_the_model_gave_and_only_objects_are_arguments() -> None:
    async with a_run(all_of(), add) as run:
        result = await run.call_model_tool("exec", {"code": "x"})
        refused = [await run.call_model_tool(name, "x") for name in ("exec", "wait")]
        with pytest.raises(toolcell.ToolcellError, match="not a tool of code mode"):
            await run.call_model_tool("add", {})

    assert (result.status, [r.code for r in refused]) == ("completed", ["invalid_input"] * 2)


async def test_code_alone_may_be_a_string() -> None:
    async with a_run(all_of(FakeCall(1, "yield")), add) as run:
        waiting = await run.exec("x")
        assert waiting.run_id is not None
        result = await run.wait(waiting.run_id)

    assert result.status == "completed"
