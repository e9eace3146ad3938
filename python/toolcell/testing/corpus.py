"""A corpus of cells: programs, and what must come of each.

A corpus is a file with one JSON object a line::

    {"id": "join", "area": "state", "language": "javascript", "code": "return 1 + 1",
     "config": {"timeoutMs": 500}, "expect": {"status": "completed", "value": 2, "note": "why"}}

``config`` overrides the run's configuration. ``expect`` names what must be equal in the result: ``status``, ``value``
(or ``value_any``, a list of values), ``code``, ``reason`` (``null``: none), ``location``; ``output`` lists texts of which
each must occur in some item of output; ``also_ok`` lists other expectations that will do. What is not named may be
anything.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args

from toolcell.results import CellResult
from toolcell.runtime.code_mode import CodeMode
from toolcell.runtime.run import Run

Mode = Literal["direct", "suspended"]
"""``direct``: nested calls are drained within the cell. ``suspended``: every nested call parks the cell, and each leg goes
on from bytes in another process, which proves that a continuation carries the whole state."""
MODES: tuple[Mode, ...] = get_args(Mode)
MAX_LEGS = 500
HANG_S = 30.0
"""A case that takes this much longer than its own limit hangs."""


@dataclass(frozen=True, slots=True)
class Case:
    """One cell of a corpus. ``id`` is unique in its corpus, ``area`` groups cases."""

    id: str
    area: str
    code: str
    expect: Mapping[str, Any]
    language: str = "javascript"
    config: Mapping[str, Any] = field(default_factory=dict[str, Any])


def load_cases(*paths: Path) -> list[Case]:
    """Read corpus files.

    Raises:
        ValueError: a line that is no JSON object.
        TypeError: an object that lacks a field, or has an unknown one.
    """
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    return [Case(**json.loads(line)) for line in lines]


async def run_case(code_mode: CodeMode, case: Case, tools: Sequence[Any], *, mode: Mode = "direct") -> list[str]:
    """Run a case in a run of its own, and then one more cell: whatever a cell does, the next one runs.

    Returns:
        What is wrong, a sentence each; empty if the case passes.

    Raises:
        TimeoutError: the case neither ended nor waited, half a minute past its limit.
    """
    config = {"enabled": True, **case.config}
    if mode == "suspended":
        config |= {"autoDrain": False, "workerReuse": "never"}
    async with code_mode.run(tools=tools, config=config) as run:
        async with asyncio.timeout(run.config.timeout_ms / 1000 + HANG_S):
            result, waits = await _to_its_end(run, case, mode)
            after = await run.exec({"code": "return 1"})
    problems = [] if _is_expected(result, case.expect) else [f"got {_brief(result)}, wanted {json.dumps(case.expect)}"]
    if mode == "suspended" and result.status == "completed":
        problems += _suspension_problems(result, waits)
    if after.value != 1:
        problems.append(f"the next cell did not run: {_brief(after)}")
    return problems


async def _to_its_end(run: Run, case: Case, mode: Mode) -> tuple[CellResult, int]:
    result = await run.exec({"code": case.code, "language": case.language})
    waits = 0
    most = 3 if case.expect["status"] == "waiting" else MAX_LEGS
    while mode == "suspended" and result.status == "waiting" and waits < most:
        result = await run.wait({"runId": result.run_id})
        waits += 1
    return result, waits


def _suspension_problems(result: CellResult, waits: int) -> list[str]:
    """The mode proves something only if each call really parked the cell and each leg began from bytes."""
    if result.telemetry.call_count and not waits:
        return ["tools were called, but the cell never waited"]
    if result.telemetry.cell.restored != waits:
        return [f"waited {waits} times, but {result.telemetry.cell.restored} legs began from bytes"]
    return []


def _is_expected(result: CellResult, expect: Mapping[str, Any]) -> bool:
    wire = result.model_dump(by_alias=True, exclude_none=True, mode="json")
    return any(_matches(wire, wanted) for wanted in (expect, *expect.get("also_ok", ())))


def _matches(wire: dict[str, Any], wanted: Mapping[str, Any]) -> bool:
    plain = ("status", "code", "reason", "location")
    if any(name in wanted and wire.get(name) != wanted[name] for name in plain):
        return False
    values = wanted.get("value_any", [wanted["value"]] if "value" in wanted else None)
    if values is not None and not any(is_same(wire.get("value"), value) for value in values):
        return False
    texts = [item.get("text", "") for item in wire.get("output", ())]
    return all(any(part in text for text in texts) for part in wanted.get("output", ()))


def is_same(found: Any, wanted: Any) -> bool:
    """Whether two JSON values are equal: integers exactly, floats within 1e-12, ``true`` is not 1."""
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    if isinstance(found, float) or isinstance(wanted, float):
        numbers = isinstance(found, int | float) and isinstance(wanted, int | float)
        return numbers and (found == wanted or math.isclose(found, wanted, rel_tol=1e-12))
    if isinstance(found, list) and isinstance(wanted, list):
        pairs = zip(cast("list[Any]", found), cast("list[Any]", wanted), strict=False)
        return len(found) == len(wanted) and all(is_same(*pair) for pair in pairs)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(found, dict) and isinstance(wanted, dict):
        one, other = cast("dict[str, Any]", found), cast("dict[str, Any]", wanted)
        return one.keys() == other.keys() and all(is_same(one[name], other[name]) for name in one)
    return found == wanted


def _brief(result: CellResult) -> str:
    return result.model_dump_json(by_alias=True, exclude_none=True, exclude={"telemetry"})[:600]
