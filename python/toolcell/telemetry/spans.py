"""OpenTelemetry spans of a run, by the conventions for generative AI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolcell.telemetry.events import (
    CellFinished,
    Event,
    ModelCallFinished,
    ModelCallStarted,
    NestedCallFinished,
    NestedCallStarted,
)

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span, SpanContext, TracerProvider


class SpanListener:
    """A listener for `Run.subscribe` or `CodeMode.subscribe` that makes a span of each tool call.

    An `exec` or `wait` is a child of the span that is current where the host calls it; nested calls are children of
    theirs, and current while an async or sync tool runs, so that what the tool traces is below it. A `wait` links to the
    span before it of the same cell. Neither code nor inputs nor results stand in spans.

    Args:
        provider: Where spans go; the global provider by default.

    Raises:
        ModuleNotFoundError: ``opentelemetry-api`` is missing; ``pip install 'toolcell[telemetry]'``.

    Source:
        OpenTelemetry semantic conventions for generative AI, "Execute tool span": name ``execute_tool {tool}``,
        ``gen_ai.operation.name``, ``gen_ai.tool.name``, ``gen_ai.tool.call.id``, ``gen_ai.tool.type``, ``error.type``.
    """

    def __init__(self, provider: TracerProvider | None = None) -> None:
        from opentelemetry import trace

        from toolcell import _native

        self._trace = trace
        self._tracer = trace.get_tracer("toolcell", _native.__version__, provider)
        self._spans: dict[str, Span] = {}
        """Open spans, by the id of their call."""
        self._nested: dict[str, dict[str, None]] = {}
        """Open nested calls of each cell."""
        self._before: dict[str, SpanContext] = {}
        """Last span of each cell that waits."""

    def __call__(self, event: Event) -> None:
        """Take one event."""
        match event:
            case ModelCallStarted():
                self._begin_model_call(event)
            case ModelCallFinished():
                self._end_model_call(event)
            case NestedCallStarted():
                self._begin_nested(event)
            case NestedCallFinished():
                self._end_nested(event)
            case CellFinished():
                self._end_cell(event)
            case _:
                pass

    def _begin_model_call(self, event: ModelCallStarted) -> None:
        span = self._start(event.tool, event.call_id, None)
        run_id = event.arguments.get("runId") if isinstance(event.arguments, dict) else None  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]
        if isinstance(run_id, str) and run_id in self._before:
            span.add_link(self._before[run_id])
        self._spans[event.call_id] = span

    def _end_model_call(self, event: ModelCallFinished) -> None:
        span = self._spans.pop(event.call_id, None)
        if span is None:
            return
        result = event.result
        if result is None:
            self._failed(span, "exception")
            span.end()
            return
        span.set_attribute("toolcell.status", result.status)
        if result.run_id is not None:
            span.set_attribute("toolcell.run_id", result.run_id)
            self._before[result.run_id] = span.get_span_context()
        if result.code is not None:
            self._failed(span, result.code)
        span.end()

    def _begin_nested(self, event: NestedCallStarted) -> None:
        from opentelemetry import context

        within = self._within(event.parent_id)
        span = self._spans[event.call_id] = self._start(event.tool, event.call_id, within)
        span.set_attribute("toolcell.run_id", event.run_id)
        self._nested.setdefault(event.run_id, {})[event.call_id] = None
        # The task that tells this event is the call's own and ends with it, so nothing has to be detached.
        context.attach(self._trace.set_span_in_context(span))

    def _end_nested(self, event: NestedCallFinished) -> None:
        span = self._spans.pop(event.call_id, None)
        self._nested.get(event.run_id, {}).pop(event.call_id, None)
        if span is None:  # it was refused before it began
            span = self._start(event.tool, event.call_id, self._within(event.parent_id))
            span.set_attribute("toolcell.run_id", event.run_id)
        span.set_attribute("toolcell.outcome", event.outcome)
        if event.outcome != "ok":
            self._failed(span, event.code or event.outcome)
        span.end()

    def _end_cell(self, event: CellFinished) -> None:
        """End what a cell that is over has left open."""
        self._before.pop(event.run_id, None)
        for call_id in self._nested.pop(event.run_id, ()):
            span = self._spans.pop(call_id, None)
            if span is not None:
                self._failed(span, "unknown")
                span.end()

    def _start(self, tool: str, call_id: str, within: Context | None) -> Span:
        return self._tracer.start_span(
            f"execute_tool {tool}",
            within,
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": tool,
                "gen_ai.tool.call.id": call_id,
                "gen_ai.tool.type": "function",
            },
        )

    def _within(self, parent_id: str | None) -> Context | None:
        parent = None if parent_id is None else self._spans.get(parent_id)
        return None if parent is None else self._trace.set_span_in_context(parent)

    def _failed(self, span: Span, kind: str) -> None:
        span.set_attribute("error.type", kind)
        span.set_status(self._trace.StatusCode.ERROR)
