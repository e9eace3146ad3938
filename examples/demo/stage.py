"""Runs a cell and remembers what happened, for the reader and for the table at the end."""

from __future__ import annotations

import time
from collections.abc import Awaitable
from dataclasses import asdict, dataclass, field
from typing import Any

import toolcell
from toolcell.telemetry import ApprovalRequested, CellSuspended, Event, NestedCallFinished


@dataclass
class Act:
    """What one `exec` or `wait` did."""

    status: str
    result: str
    run_id: str | None = None
    pending: list[str] = field(default_factory=list[str])
    """Ids of the calls that wait for a person."""
    events: list[str] = field(default_factory=list[str])
    calls: int = 0
    milliseconds: float = 0
    continuation_bytes: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain data, to be sent from process to process."""
        return asdict(self)


async def watch(run: toolcell.Run, step: Awaitable[toolcell.CellResult]) -> Act:
    """Await a step of a run; the time is the host's, from asking to having the result."""
    seen: list[Event] = []
    forget = run.subscribe(seen.append)
    before = time.perf_counter()
    result = await step
    milliseconds = (time.perf_counter() - before) * 1000
    forget()
    act = Act(result.status, str(result), result.run_id, milliseconds=milliseconds)
    act.pending = [call.id for call in result.pending_tool_calls or ()]
    for event in seen:
        match event:
            case NestedCallFinished():
                act.calls += 1
                act.events.append(f"called {event.tool}: {event.outcome}")
            case ApprovalRequested():
                act.events.append(f"{event.tool} waits for a person")
            case CellSuspended():
                act.continuation_bytes = event.image_bytes
                act.events.append(f"suspended to {event.image_bytes:,} bytes")
            case _:
                pass
    return act
