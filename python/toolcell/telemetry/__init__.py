"""What a run tells about itself: counters, events, and what is made of events.

A trajectory, a transcript and spans are listeners: pass them to `Run.subscribe`, or to `CodeMode.subscribe` for all
runs that are made from then on.
"""

from toolcell.redaction import redacted
from toolcell.telemetry.cost import Prices, Usage
from toolcell.telemetry.counters import BridgeCalls, Continuations, RunTelemetry
from toolcell.telemetry.events import (
    ApprovalRequested,
    CellFinished,
    CellResumed,
    CellStarted,
    CellSuspended,
    Event,
    LimitHit,
    ModelCallFinished,
    ModelCallStarted,
    NestedCallFinished,
    NestedCallProgress,
    NestedCallStarted,
)
from toolcell.telemetry.spans import SpanListener
from toolcell.telemetry.subscribers import Listener, Subscribers
from toolcell.telemetry.trajectory import Trajectory, read_trajectory
from toolcell.telemetry.transcript import Transcript, TranscriptCall

__all__ = [
    "ApprovalRequested",
    "BridgeCalls",
    "CellFinished",
    "CellResumed",
    "CellStarted",
    "CellSuspended",
    "Continuations",
    "Event",
    "LimitHit",
    "Listener",
    "ModelCallFinished",
    "ModelCallStarted",
    "NestedCallFinished",
    "NestedCallProgress",
    "NestedCallStarted",
    "Prices",
    "RunTelemetry",
    "SpanListener",
    "Subscribers",
    "Trajectory",
    "Transcript",
    "TranscriptCall",
    "Usage",
    "read_trajectory",
    "redacted",
]
