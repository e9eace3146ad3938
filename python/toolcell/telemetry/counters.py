"""Cumulative counters of a run."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from toolcell.results import CellCounters, Telemetry
from toolcell.telemetry.cost import Prices, Usage, cost_usd


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
    assistant_turns: int = 0
    """Turns of the model, as the host told them with `Run.record_turn`."""
    cost_usd: float | None = None
    """What they cost; ``None`` before the first, and for good once the price of one is not known."""
    bridge_calls: BridgeCalls = field(default_factory=BridgeCalls)
    continuations: Continuations = field(default_factory=Continuations)
    counter_scope: str = field(default_factory=lambda: secrets.token_hex(6))
    """Changes when the catalog is replaced, so that counters of different catalogs are not added up."""

    def record_turn(self, usage: Usage | None, prices: Prices | None) -> None:
        """Count a turn of the model and what it cost."""
        known = self.cost_usd if self.assistant_turns else 0.0
        cost = None if usage is None or prices is None else cost_usd(usage, prices)
        self.cost_usd = None if known is None or cost is None else known + cost
        self.assistant_turns += 1

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
