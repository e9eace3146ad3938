"""Counters of a run, and the events it tells its subscribers."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from toolcell.results import CellCounters, Outcome, Telemetry

log = logging.getLogger("toolcell")


@dataclass(slots=True)
class BridgeCalls:
    """Calls of cells to their host; none of them is a request to a model."""

    search: int = 0
    describe: int = 0
    call: int = 0


@dataclass(slots=True)
class Continuations:
    """What became of the run's suspended cells."""

    stored: int = 0
    restored: int = 0
    expired: int = 0
    dropped: int = 0


@dataclass(slots=True)
class RunTelemetry:
    """Cumulative counters of one run."""

    code_mode_engaged: bool = False
    catalog_size: int = 0
    sources: dict[str, int] = field(default_factory=dict[str, int])
    visible_tools: tuple[str, ...] = ()
    exec_count: int = 0
    wait_count: int = 0
    bridge_calls: BridgeCalls = field(default_factory=BridgeCalls)
    continuations: Continuations = field(default_factory=Continuations)
    counter_scope: str = field(default_factory=lambda: secrets.token_hex(6))
    """Changes when the catalog is replaced, so that counters of different catalogs are not added up."""

    def snapshot(self, legs: int, restored: int) -> Telemetry:
        """The counters as a result carries them."""
        calls = self.bridge_calls
        return Telemetry(
            catalog_size=self.catalog_size,
            sources=self.sources,
            search_count=calls.search,
            describe_count=calls.describe,
            call_count=calls.call,
            exec_count=self.exec_count,
            wait_count=self.wait_count,
            visible_tools=self.visible_tools,
            cell=CellCounters(legs=legs, restored=restored),
            counter_scope=self.counter_scope,
        )


@dataclass(frozen=True, slots=True)
class CellStarted:
    """A cell was given to a worker."""

    run_id: str
    language: str
    title: str | None


@dataclass(frozen=True, slots=True)
class NestedCallStarted:
    """A nested call entered the pipeline."""

    run_id: str
    call_id: str
    tool: str


@dataclass(frozen=True, slots=True)
class NestedCallFinished:
    """A nested call settled."""

    run_id: str
    call_id: str
    tool: str
    outcome: Outcome
    duration_ms: int


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
    CellStarted
    | NestedCallStarted
    | NestedCallFinished
    | NestedCallProgress
    | ApprovalRequested
    | CellSuspended
    | CellResumed
    | CellFinished
    | LimitHit
)
Listener = Callable[[Event], None]


class Subscribers:
    """Listeners of one run. Falsy while there are none, so that events need not be made."""

    __slots__ = ("_listeners",)

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def __bool__(self) -> bool:
        return bool(self._listeners)

    def add(self, listener: Listener) -> Callable[[], None]:
        """Add a listener; returns a function that takes it away again."""
        self._listeners.append(listener)

        def remove() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return remove

    def tell(self, event: Event) -> None:
        """Call every listener; one that raises is logged and changes nothing."""
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception:
                log.exception("a subscriber raised")
