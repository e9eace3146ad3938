"""Samples of two sides in turn, and the table made of them."""

from __future__ import annotations

import asyncio
import gc
import statistics
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benches.python.scenarios import Timing

Sample = Callable[[], Awaitable[Timing]]
_WARM_UP = 3


@dataclass(frozen=True, slots=True)
class Spread:
    """Median, least and greatest of samples in seconds."""

    median: float
    least: float
    greatest: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Spread:
        return cls(statistics.median(seconds), min(seconds), max(seconds))

    def __str__(self) -> str:
        return f"{_time(self.median)} ({_time(self.least)} to {_time(self.greatest)})"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: what was found, and what it should be at most. ``theirs`` and ``ours`` as text."""

    what: str
    ours: str
    theirs: str
    found: float
    allowed: float
    unit: str
    """``x`` for a ratio of medians, else the unit of both numbers."""

    @property
    def met(self) -> bool:
        """Whether the target is met."""
        return self.found <= self.allowed

    def wire(self) -> dict[str, Any]:
        """The row as JSON has it."""
        return asdict(self) | {"met": self.met}


async def in_turn(ours: Sample, theirs: Sample, *, blocks: int, block: int) -> tuple[list[Timing], list[Timing]]:
    """Take ``blocks`` times ``block`` samples of each side, block after block, so that both meet the same noise.

    The side that begins changes with every block; each block begins with samples that don't count.
    """
    taken: tuple[list[Timing], list[Timing]] = ([], [])
    sides = (ours, theirs)
    for turn in range(blocks):
        for side in (0, 1) if turn % 2 == 0 else (1, 0):
            for _ in range(min(_WARM_UP, block)):
                await sides[side]()
            gc.collect()
            await asyncio.sleep(0)
            taken[side].extend([await sides[side]() for _ in range(block)])
    return taken


def ratio(what: str, ours: Sequence[Timing], theirs: Sequence[Timing], allowed: float) -> Row:
    """Compare the medians of two sides."""
    mine, other = (Spread.of([timing.seconds for timing in side]) for side in (ours, theirs))
    return Row(what, str(mine), str(other), mine.median / other.median, allowed, "x")


def stored_size(what: str, ours: Sequence[Timing], theirs: Sequence[Timing], allowed: float) -> Row:
    """Compare the size of what was stored with an allowance in KB of 1,000 bytes."""
    mine, other = (max(timing.stored_bytes for timing in side) / 1000 for side in (ours, theirs))
    return Row(what, f"{mine:.1f} KB", f"{other:.1f} KB", mine, allowed, "KB")


def table(rows: Sequence[Row], *, peer: str = "pydantic-monty") -> str:
    """Render rows as text; ``peer`` is what toolcell is compared with."""
    lines = [("", "toolcell", peer, "found", "target", "")]
    for row in rows:
        found, allowed = (f"{number:.3g} {row.unit}" for number in (row.found, row.allowed))
        lines.append((row.what, row.ours, row.theirs, found, f"≤ {allowed}", "met" if row.met else "MISSED"))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines)


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"
