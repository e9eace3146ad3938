"""OpenTelemetry spans, seen by the reference SDK."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult

import toolcell
from toolcell.telemetry import SpanListener
from toolcell.testing import FakeCall, FakeExecutor, all_of

CONFIG = {"enabled": True, "timeoutMs": 60_000}


class Kept(SpanExporter):
    """Keeps finished spans in a list."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.spans += spans
        return SpanExportResult.SUCCESS


class Traced:
    """A provider of its own, and what came out."""

    def __init__(self) -> None:
        self.kept = Kept()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.kept))

    async def run(self, calls: Sequence[FakeCall], *tools: Any, waits: int = 0, **options: Any) -> None:
        executor = FakeExecutor(all_of(*calls))
        async with toolcell.CodeMode(CONFIG, executor=executor) as code_mode:
            code_mode.subscribe(SpanListener(self.provider))
            async with code_mode.run(tools=tools, **options) as run:
                result = await run.exec({"code": "secret code"}, tool_call_id="t1")
                for _ in range(waits):
                    result = await run.wait({"runId": result.run_id})

    def named(self, name: str) -> ReadableSpan:
        (span,) = [span for span in self.kept.spans if span.name == name]
        return span


def parent_of(span: ReadableSpan) -> int | None:
    return None if span.parent is None else span.parent.span_id


def id_of(span: ReadableSpan) -> int:
    context = span.get_span_context()
    assert context is not None
    return context.span_id


@pytest.fixture
def traced() -> Traced:
    return Traced()


async def test_a_nested_call_is_a_child_of_its_cells_span_and_that_of_the_hosts(traced: Traced) -> None:
    @toolcell.tool
    async def add() -> int:
        return 1

    with traced.provider.get_tracer("host").start_as_current_span("chat") as chat:
        await traced.run([FakeCall(1, "call_value", "add")], add)

    cell, nested = traced.named("execute_tool exec"), traced.named("execute_tool add")
    assert (parent_of(cell), parent_of(nested)) == (chat.get_span_context().span_id, id_of(cell))


async def test_spans_have_the_attributes_of_the_conventions_and_nothing_that_was_passed(traced: Traced) -> None:
    @toolcell.tool
    async def add(secret: int) -> int:
        return secret

    await traced.run([FakeCall(1, "call_value", "add", b'{"secret": 12345}')], add)

    attributes = dict(traced.named("execute_tool add").attributes or {})
    run_id = attributes.pop("toolcell.run_id")
    assert attributes == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "add",
        "gen_ai.tool.call.id": f"{run_id}/1",
        "gen_ai.tool.type": "function",
        "toolcell.outcome": "ok",
    }
    assert all("secret code" not in span.to_json() and "12345" not in span.to_json() for span in traced.kept.spans)


async def test_what_a_tool_traces_is_below_its_call_in_threads_too(traced: Traced) -> None:
    tracer = traced.provider.get_tracer("tool")

    @toolcell.tool
    async def asynchronous() -> None:
        tracer.start_span("async work").end()

    @toolcell.tool
    def threaded() -> None:
        tracer.start_span("sync work").end()

    await traced.run([FakeCall(1, "call_value", "asynchronous"), FakeCall(2, "call_value", "threaded")], asynchronous, threaded)

    parents = [parent_of(traced.named(name)) for name in ("async work", "sync work")]
    assert parents == [id_of(traced.named(f"execute_tool {name}")) for name in ("asynchronous", "threaded")]


async def test_the_span_of_a_call_is_not_current_outside_of_it(traced: Traced) -> None:
    @toolcell.tool
    async def add() -> int:
        return 1

    await traced.run([FakeCall(1, "call_value", "add")], add)

    assert not trace.get_current_span().get_span_context().is_valid


async def test_a_failed_call_and_a_refused_one_are_errors(traced: Traced) -> None:
    @toolcell.tool
    async def boom() -> None:
        raise RuntimeError("disk full")

    await traced.run([FakeCall(1, "call_value", "boom"), FakeCall(2, "call_value", "nope")], boom)

    kinds = {span.name: (span.attributes or {}).get("error.type") for span in traced.kept.spans}
    assert kinds == {"execute_tool boom": "tool_failed", "execute_tool nope": "unknown_tool", "execute_tool exec": None}
    assert not traced.named("execute_tool boom").status.is_ok


async def test_a_wait_links_to_the_span_before_it(traced: Traced) -> None:
    @toolcell.tool
    async def unused() -> None: ...

    await traced.run([FakeCall(1, "yield")], unused, waits=1)

    (link,) = traced.named("execute_tool wait").links
    assert link.context.span_id == id_of(traced.named("execute_tool exec"))


async def test_no_span_stays_open_when_a_cell_is_aborted(traced: Traced) -> None:
    running = asyncio.Event()

    @toolcell.tool
    async def hang() -> None:
        running.set()
        await asyncio.Event().wait()

    executor = FakeExecutor(all_of(FakeCall(1, "call_value", "hang")))
    async with toolcell.CodeMode(CONFIG, executor=executor) as code_mode, code_mode.run(tools=[hang]) as run:
        run.subscribe(SpanListener(traced.provider))
        cell = asyncio.create_task(run.exec({"code": "x"}))
        await running.wait()
        await run.abort()
        await cell

    errors = {span.name: (span.attributes or {}).get("error.type") for span in traced.kept.spans}
    assert errors == {"execute_tool hang": "unknown", "execute_tool exec": "aborted"}
