"""What `exec` and `wait` return.

One class for the three states: ``completed``, ``waiting`` and ``failed``. Everything a model or a program needs to
act is in fields; `CellResult.for_model` is the text an adapter sends to the model.
"""

from __future__ import annotations

import html
import json
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    SkipValidation,
    model_serializer,
)
from pydantic.alias_generators import to_camel

from toolcell import untrusted

Status = Literal["completed", "waiting", "failed"]
WaitReason = Literal["pending_tools", "yield", "approval"]
Phase = Literal["input", "guest", "bridge", "host"]
Outcome = Literal["ok", "error", "denied", "pending", "unknown"]
ErrorCode = Literal[
    "invalid_input",
    "runtime_unavailable",
    "timeout",
    "output_limit_exceeded",
    "snapshot_limit_exceeded",
    "aborted",
    "internal_error",
]
Reason = Literal[
    "unsupported_language",
    "syntax_error",
    "typescript_transform_failed",
    "module_access_denied",
    "shell_command",
    "too_many_pending_tool_calls",
    "too_many_suspended",
    "unknown_run",
    "snapshot_expired",
    "wrong_scope",
    "already_resuming",
    "side_effect_in_restart_safe",
    "start_failed",
    "worker_crashed",
    "worker_killed",
    "aborted",
    "memory_limit_exceeded",
    "stack_overflow",
    "guest_error",
    "unhandled_rejection",
    "never_settles",
    "nested_tool_failed",
    "snapshot_restore_failed",
]


class _Wire(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="forbid")


class TextOutput(_Wire):
    """Text that the cell emitted."""

    type: Literal["text"] = "text"
    text: str


class JsonOutput(_Wire):
    """A structured item that the cell emitted."""

    type: Literal["json"] = "json"
    value: Any

    @model_serializer(mode="wrap")
    def _keep_null(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        wire = handler(self)
        wire.setdefault("value", None)
        return wire


OutputItem = TextOutput | JsonOutput


class Location(_Wire):
    """A place in the model's own source. ``line`` and ``column`` count from 1; columns are code points."""

    line: int
    column: int | None = None


class CallSummary(_Wire):
    """A nested call that had been dispatched. ``unknown`` means that nobody knows whether it took effect."""

    id: str
    tool: str
    outcome: Outcome
    duration_ms: int


class PendingToolCall(_Wire):
    """A call that a waiting cell waits for. ``input`` only for client tools and approvals."""

    id: str
    method: str
    tool: str | None = None
    input: Any = None


class CellCounters(_Wire):
    """``legs`` of this cell so far; ``restored``: those that began from an image in another worker process."""

    legs: int
    restored: int


class Telemetry(_Wire):
    """Counters of the run at the time of this result, and of its cell."""

    catalog_size: int
    sources: dict[str, int]
    search_count: int
    describe_count: int
    call_count: int
    exec_count: int
    wait_count: int
    visible_tools: SkipValidation[tuple[str, ...]]
    cell: CellCounters
    counter_scope: str


class CellResult(_Wire):
    """The result of one `exec` or `wait`. Which fields are set follows from ``status``.

    ``completed``: ``value`` (always there, ``None`` is JSON null), ``warnings``.
    ``waiting``: ``run_id`` for the next `wait`, ``reason``, ``pending_tool_calls``.
    ``failed``: ``error``, ``code``, ``reason``, ``phase``, ``location``, ``calls`` (what had been dispatched),
    ``preview``. All states: ``output`` not delivered before, ``telemetry``.
    """

    status: Status
    run_id: str | None = None
    value: Any = None
    reason: Reason | WaitReason | None = None
    error: str | None = None
    code: ErrorCode | None = None
    phase: Phase | None = None
    location: Location | None = None
    pending_tool_calls: list[PendingToolCall] | None = None
    calls: list[CallSummary] | None = None
    preview: str | None = None
    output: list[OutputItem] | None = None
    warnings: list[str] | None = None
    replay_safe: bool | None = None
    telemetry: Telemetry

    _envelope: untrusted.Envelope | None = PrivateAttr(default=None)

    @model_serializer(mode="wrap")
    def _keep_null(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        wire = handler(self)
        if self.status == "completed":
            wire.setdefault("value", None)
        else:
            wire.pop("value", None)
        return wire

    @property
    def ok(self) -> bool:
        """Whether the cell completed."""
        return self.status == "completed"

    def set_envelope(self, envelope: untrusted.Envelope | None) -> None:
        """Mark the text for the model as data, because a tool that isn't trusted had a part in it."""
        self._envelope = envelope

    def for_model(self) -> str:
        """The text that an adapter gives to the model: compact JSON of all fields but telemetry.

        If the cell called a tool whose words are not trusted, the text sits in an envelope that marks it as data.
        """
        wire = self.model_dump(by_alias=True, exclude_none=True, mode="json", exclude={"telemetry"})
        _bound_calls(wire)
        text = json.dumps(wire, ensure_ascii=False, separators=(",", ":"))
        return text if self._envelope is None else self._envelope(text)

    def __str__(self) -> str:
        lines = [f"{self.status} {self._headline()}".rstrip()]
        lines += [f"  {_one_line(item)}" for item in self.output or ()]
        lines += [f"  call {c.id.rpartition('/')[2]} {c.tool}: {c.outcome}, {c.duration_ms} ms" for c in self.calls or ()]
        lines += [f"  waits for {p.tool or p.method} ({p.id})" for p in self.pending_tool_calls or ()]
        lines += [f"  warning: {warning}" for warning in self.warnings or ()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        colour = {"completed": "#2a7", "waiting": "#b80", "failed": "#c33"}[self.status]
        return (
            f'<div style="border-left:3px solid {colour};padding-left:.7em">'
            f"<b>{self.status}</b><pre>{html.escape(str(self).partition(' ')[2])}</pre></div>"
        )

    def _headline(self) -> str:
        if self.status == "completed":
            return _shorten(json.dumps(self.value, ensure_ascii=False, default=str), 2000)
        if self.status == "waiting":
            return f"{self.run_id} ({self.reason})"
        return f"{self.code}{f'/{self.reason}' if self.reason else ''}: {self.error}"


MAX_MODEL_CALLS = 200
"""Call summaries in the text for a model; those that did not simply succeed come first."""
MAX_MODEL_INPUT_CHARS = 4_000
"""What a model is shown of the input of a call that waits: its cell wrote it, outside the output budget."""


def _bound_calls(wire: dict[str, Any]) -> None:
    """Cut in place what a cell can make as long as it likes beside its output."""
    calls = wire.get("calls", ())
    if len(calls) > MAX_MODEL_CALLS:
        kept = sorted(range(len(calls)), key=lambda index: (calls[index]["outcome"] == "ok", -index))[:MAX_MODEL_CALLS]
        wire["calls"] = [calls[index] for index in sorted(kept)]
        wire["callsLeftOut"] = len(calls) - MAX_MODEL_CALLS
    room = MAX_MODEL_INPUT_CHARS * 8
    pending = wire.get("pendingToolCalls", ())
    if len(pending) > MAX_MODEL_CALLS:
        wire["pendingToolCallsLeftOut"] = len(pending) - MAX_MODEL_CALLS
        wire["pendingToolCalls"] = pending = pending[:MAX_MODEL_CALLS]
    for call in pending:
        text = json.dumps(call.get("input"), ensure_ascii=False)
        if len(text) > min(MAX_MODEL_INPUT_CHARS, room):
            call["input"] = _shorten(text, min(MAX_MODEL_INPUT_CHARS, room))
        room = max(room - len(text), 0)


def _one_line(item: OutputItem) -> str:
    return item.text if isinstance(item, TextOutput) else json.dumps(item.value, ensure_ascii=False, default=str)


def _shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
