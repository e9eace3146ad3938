"""What happens in a run, as its subscribers are told.

Inputs of nested calls stand here as `Policy.redact` shows them; results of nested calls, which a model never saw, do not
stand here at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from toolcell.results import CellResult, Outcome
from toolcell.values import Json


@dataclass(frozen=True, slots=True)
class ModelCallStarted:
    """The model called `exec` or `wait`. ``arguments`` as it gave them, code included."""

    call_id: str
    tool: Literal["exec", "wait"]
    arguments: Any


@dataclass(frozen=True, slots=True)
class ModelCallFinished:
    """The answer to an `exec` or `wait`; ``result`` is ``None`` if the host got an exception in place of it."""

    call_id: str
    tool: Literal["exec", "wait"]
    result: CellResult | None


@dataclass(frozen=True, slots=True)
class CellStarted:
    """A cell was given to a worker. ``code`` is what runs, after hooks."""

    run_id: str
    language: str
    title: str | None
    code: str = ""


@dataclass(frozen=True, slots=True)
class NestedCallStarted:
    """A nested call was let through and begins. ``parent_id`` is the `exec` or `wait` that it runs under."""

    run_id: str
    call_id: str
    tool: str
    tool_id: str = ""
    parent_id: str | None = None
    input: Json = None


@dataclass(frozen=True, slots=True)
class NestedCallFinished:
    """A nested call settled; one that was refused did not start before. ``code`` says how it failed."""

    run_id: str
    call_id: str
    tool: str
    outcome: Outcome
    duration_ms: int
    parent_id: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class NestedCallProgress:
    """A tool told how far it is."""

    call_id: str
    value: object


@dataclass(frozen=True, slots=True)
class ApprovalRequested:
    """A nested call waits for a decision."""

    run_id: str
    call_id: str
    tool: str


@dataclass(frozen=True, slots=True)
class CellSuspended:
    """A cell was parked; ``image_bytes`` is the size of its image."""

    run_id: str
    reason: str
    image_bytes: int


@dataclass(frozen=True, slots=True)
class CellResumed:
    """A parked cell goes on."""

    run_id: str


@dataclass(frozen=True, slots=True)
class CellFinished:
    """A cell reached its end."""

    run_id: str
    status: Literal["completed", "failed"]
    code: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class LimitHit:
    """A cell failed because of a limit."""

    run_id: str
    limit: str


Event = (
    ModelCallStarted
    | ModelCallFinished
    | CellStarted
    | NestedCallStarted
    | NestedCallFinished
    | NestedCallProgress
    | ApprovalRequested
    | CellSuspended
    | CellResumed
    | CellFinished
    | LimitHit
)
