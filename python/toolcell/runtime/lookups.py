"""Searches and descriptions, which are answered from the catalog without dispatch."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, cast

from toolcell import _native
from toolcell.errors import UnknownToolError
from toolcell.executor.protocol import GuestCall, Waiting
from toolcell.runtime import failures
from toolcell.runtime.eager import MAX_TURN_S
from toolcell.runtime.failures import Failure
from toolcell.settlement import MAX_MESSAGE_CHARS, CallFailure
from toolcell.values import Json

if TYPE_CHECKING:
    from toolcell.runtime.cell import Cell
    from toolcell.runtime.run import Run

LOOKUPS = frozenset({"search", "search_handles", "describe", "describe_handle", "api"})


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
        answer = _answer(cell, call) if room > 0 else _failure("the answers to one step exceed the cell's memory", call)
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


def _answer(cell: Cell, call: GuestCall) -> bytes | CallFailure:
    """Answer one look-up: what the cell may see of the catalog, never more."""
    run = cell.run
    counters = run.telemetry.bridge_calls
    try:
        if call.method in ("search", "search_handles"):
            counters.search += 1
            found: Any = _search(run, call)
            of_servers = any(entry["source"] == "mcp" for entry in found)
        else:
            counters.describe += 1
            found = _describe(run, call)
            of_servers = call.method == "api" or found["source"] == "mcp"
        if of_servers:
            cell.calls.untrusted = True
        return _native.encode_json(found, max_depth=512, max_bytes=run.config.max_bridge_bytes)
    except (UnknownToolError, ValueError) as error:
        return _failure(str(error), call, error.code if isinstance(error, UnknownToolError) else "lookup_failed")


def _search(run: Run, call: GuestCall) -> list[dict[str, Any]]:
    config = run.config
    wanted = config.search_default_limit if call.limit is None else call.limit
    limit = max(1, min(wanted, config.max_search_limit))
    return run.catalog.search(call.target or "", limit, with_mcp=call.method == "search_handles")


def _describe(run: Run, call: GuestCall) -> dict[str, Any]:
    target = call.target or ""
    if call.method == "api":
        arguments: object = _native.decode_json(call.input or b"[]")
        return run.mcp.api(call.target, cast("list[Json]", arguments) if isinstance(arguments, list) else [])
    if call.method == "describe_handle" and target.startswith("mcp:"):
        return run.mcp.describe(run.pipeline.resolve(target, "mcp"))
    return run.catalog.describe(run.pipeline.resolve(target))


def _failure(message: str, call: GuestCall, code: str = "lookup_failed") -> CallFailure:
    return CallFailure("ToolError", message[:MAX_MESSAGE_CHARS], code, (call.target or "")[:256])
