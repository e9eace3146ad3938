"""Searches and descriptions, which are answered from the catalog without dispatch."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from toolcell import _native
from toolcell.errors import UnknownToolError
from toolcell.executor.protocol import GuestCall, Waiting
from toolcell.runtime.eager import MAX_TURN_S
from toolcell.settlement import MAX_MESSAGE_CHARS, CallFailure, Settled

if TYPE_CHECKING:
    from toolcell.runtime.run import Run

LOOKUPS = frozenset({"search", "search_handles", "describe"})


async def look_up(run: Run, leg: Waiting, settled: list[Settled]) -> None:
    """Append the answers to a leg's look-ups to ``settled``, and let others have the loop meanwhile."""
    turn_at = time.monotonic() + MAX_TURN_S
    counters = run.telemetry.bridge_calls
    for call in leg.calls:
        if call.method not in LOOKUPS:
            continue
        if call.method == "describe":
            counters.describe += 1
        else:
            counters.search += 1
        settled.append((call.number, _answer(run, call)))
        if time.monotonic() >= turn_at:
            await asyncio.sleep(0)
            turn_at = time.monotonic() + MAX_TURN_S


def _answer(run: Run, call: GuestCall) -> bytes | CallFailure:
    """Answer `tools.search`, `catalog.search` or `tools.describe`."""
    config, catalog, target = run.config, run.catalog, call.target or ""
    try:
        if call.method == "describe":
            found: Any = catalog.describe(run.pipeline.resolve(target))
        else:
            wanted = config.search_default_limit if call.limit is None else call.limit
            found = catalog.search(target, max(1, min(wanted, config.max_search_limit)))
        return _native.encode_json(found, max_depth=512, max_bytes=config.max_bridge_bytes)
    except (UnknownToolError, ValueError) as error:
        code = error.code if isinstance(error, UnknownToolError) else "lookup_failed"
        return CallFailure("ToolError", str(error)[:MAX_MESSAGE_CHARS], code, target[:256])
