"""Searches and descriptions, which are answered from the catalog without dispatch."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from toolcell import _native
from toolcell.errors import UnknownToolError
from toolcell.executor.protocol import GuestCall, Waiting
from toolcell.runtime import failures
from toolcell.runtime.eager import MAX_TURN_S
from toolcell.runtime.failures import Failure
from toolcell.settlement import MAX_MESSAGE_CHARS, CallFailure

if TYPE_CHECKING:
    from toolcell.runtime.cell import Cell
    from toolcell.runtime.run import Run

LOOKUPS = frozenset({"search", "search_handles", "describe"})


async def look_up(cell: Cell, leg: Waiting, deadline: float) -> Failure | None:
    """Settle a leg's look-ups, and let others have the loop meanwhile.

    A failure means that the cell was aborted, or that its time is over. What a leg is told fits into its heap: once it does
    not, the look-ups that are left fail.
    """
    turn_at = time.monotonic() + MAX_TURN_S
    room = cell.run.config.memory_limit_bytes
    for call in leg.calls:
        if call.method not in LOOKUPS:
            continue
        answer = _answer(cell.run, call) if room > 0 else _failure("the answers to one step exceed the cell's memory", call)
        if isinstance(answer, bytes):
            room -= len(answer)
        cell.calls.settled.append((call.number, answer))
        if time.monotonic() >= turn_at:
            if cell.remaining_ms(deadline) <= 0:
                return failures.TOO_MANY_LOOKUPS
            await asyncio.sleep(0)
            if cell.aborted:
                break
            turn_at = time.monotonic() + MAX_TURN_S
    return failures.ABORTED if cell.aborted else None


def _answer(run: Run, call: GuestCall) -> bytes | CallFailure:
    """Answer `tools.search`, `catalog.search` or `tools.describe`."""
    config, catalog, target = run.config, run.catalog, call.target or ""
    counters = run.telemetry.bridge_calls
    try:
        if call.method == "describe":
            counters.describe += 1
            found: Any = catalog.describe(run.pipeline.resolve(target))
        else:
            counters.search += 1
            wanted = config.search_default_limit if call.limit is None else call.limit
            found = catalog.search(target, max(1, min(wanted, config.max_search_limit)))
        return _native.encode_json(found, max_depth=512, max_bytes=config.max_bridge_bytes)
    except (UnknownToolError, ValueError) as error:
        return _failure(str(error), call, error.code if isinstance(error, UnknownToolError) else "lookup_failed")


def _failure(message: str, call: GuestCall, code: str = "lookup_failed") -> CallFailure:
    return CallFailure("ToolError", message[:MAX_MESSAGE_CHARS], code, (call.target or "")[:256])
